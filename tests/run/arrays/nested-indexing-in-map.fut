-- Gathering from a matrix with arrays of indices.
-- ==
-- input { [[1, 2], [3, 4]] [0i64, 1i64, 1i64] [1i64, 0i64, 1i64] } output { [2, 3, 4] }
-- input { [[1, 2], [3, 4]] empty([0]i64) empty([0]i64) } output { empty([0]i32) }
-- input { [[1, 2], [3, 4]] [0i64, 2i64] [1i64, 0i64] } error: out of bounds

def main [n] [m] [k] (xss: [n][m]i32) (is: [k]i64) (js: [k]i64): [k]i32 =
  map2 (\i j -> xss[i, j]) is js
