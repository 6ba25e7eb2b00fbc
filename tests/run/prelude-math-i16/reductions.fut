-- sum, product, maximum and minimum of i16, also of nothing.
-- ==
-- input { [1i16, 2, 3, 4] }
-- output { [10i16, 24, 4, 1] }
-- input { empty([0]i16) }
-- output { [0i16, 1, -32768, 32767] }
-- input { [7i16] }
-- output { [7i16, 7, 7, 7] }
-- input { [32767i16, 1] }
-- output { [-32768i16, 32767, 32767, 1] }
-- input { [32767i16, 32767, 2] }
-- output { [0i16, 2, 32767, 2] }
-- input { [-1i16, -2, -3] }
-- output { [-6i16, -6, -1, -3] }
-- input { [-32768i16, -1] }
-- output { [32767i16, -32768, -1, -32768] }
-- input { [5i16, -5, 0] }
-- output { [0i16, 0, 5, -5] }

def main (xs: []i16): [4]i16 =
  [i16.sum xs, i16.product xs, i16.maximum xs, i16.minimum xs]
