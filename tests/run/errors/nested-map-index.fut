-- An index out of bounds in a nested map names the inner array.
-- ==
-- input { [[1, 2], [3, 4]] [1i64, 0] } output { [[2, 1], [4, 3]] }
-- input { [[1, 2], [3, 4]] [1i64, 2] } error: out of bounds

def main [n] [m] (xss: [n][m]i32) (is: [m]i64): [n][m]i32 =
  map (\xs -> map (\i -> xs[i]) is) xss
