-- A histogram of vectors.
-- ==
-- input { [1i64, 0, 1] [[1, 2], [3, 4], [5, 6]] } output { [[3, 4], [6, 8]] }
-- input { empty([0]i64) empty([0][2]i32) } output { [[0, 0], [0, 0]] }
-- input { [1i64, 0, 1, 0, 1, 0, 1, 0] [[1, 2], [3, 4], [5, 6], [7, 8], [9, 10], [11, 12], [13, 14], [15, 16]] }
-- output { [[36, 40], [28, 32]] }

def main [n] [m] (is: [n]i64) (vs: [n][m]i32): [2][m]i32 =
  hist (map2 (+)) (replicate m 0) 2 is vs
