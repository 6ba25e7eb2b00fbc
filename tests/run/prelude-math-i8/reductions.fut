-- sum, product, maximum and minimum of i8, also of nothing.
-- ==
-- input { [1i8, 2, 3, 4] }
-- output { [10i8, 24, 4, 1] }
-- input { empty([0]i8) }
-- output { [0i8, 1, -128, 127] }
-- input { [7i8] }
-- output { [7i8, 7, 7, 7] }
-- input { [127i8, 1] }
-- output { [-128i8, 127, 127, 1] }
-- input { [127i8, 127, 2] }
-- output { [0i8, 2, 127, 2] }
-- input { [-1i8, -2, -3] }
-- output { [-6i8, -6, -1, -3] }
-- input { [-128i8, -1] }
-- output { [127i8, -128, -1, -128] }
-- input { [5i8, -5, 0] }
-- output { [0i8, 0, 5, -5] }

def main (xs: []i8): [4]i8 =
  [i8.sum xs, i8.product xs, i8.maximum xs, i8.minimum xs]
