-- sum, product, maximum and minimum of i32, also of nothing.
-- ==
-- input { [1, 2, 3, 4] }
-- output { [10, 24, 4, 1] }
-- input { empty([0]i32) }
-- output { [0, 1, -2147483648, 2147483647] }
-- input { [7] }
-- output { [7, 7, 7, 7] }
-- input { [2147483647, 1] }
-- output { [-2147483648, 2147483647, 2147483647, 1] }
-- input { [2147483647, 2147483647, 2] }
-- output { [0, 2, 2147483647, 2] }
-- input { [-1, -2, -3] }
-- output { [-6, -6, -1, -3] }
-- input { [-2147483648, -1] }
-- output { [2147483647, -2147483648, -1, -2147483648] }
-- input { [5, -5, 0] }
-- output { [0, 0, 5, -5] }

def main (xs: []i32): [4]i32 =
  [i32.sum xs, i32.product xs, i32.maximum xs, i32.minimum xs]
