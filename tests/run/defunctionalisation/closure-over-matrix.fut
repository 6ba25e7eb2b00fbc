-- A function that captures a matrix is applied in a nested map.
-- ==
-- input { [[1, 2], [3, 4]] [[0i64, 1], [1i64, 1]] } output { [[1, 4], [4, 4]] }
-- input { [[1, 2], [3, 4]] [[0i64, 2], [1i64, 1]] } error: out of bounds

def main [n] [m] (xss: [n][m]i32) (js: [n][m]i64): [n][m]i32 =
  let at i j = xss[i, j]
  in map2 (\i row ->
             map2 (\k j -> if k == 0 then at i j else at (n - 1) j) (iota m)
                  row)
          (iota n) js
