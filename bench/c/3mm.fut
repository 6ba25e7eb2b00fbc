-- (A B) (C D), for matrices A, B, C and D.
-- ==
-- "tiny" nobench input { [[1f64, 2f64], [3f64, 4f64]] [[0f64, 1f64], [1f64, 1f64]]
--   [[1f64, 0f64], [2f64, -1f64]] [[1f64, 2f64], [3f64, 4f64]] }
-- output { [[-1f64, 4f64], [-3f64, 8f64]] }
-- "256" compiled random input { [256][256]f64 [256][256]f64 [256][256]f64 [256][256]f64 }
-- "1024" compiled random input { [1024][1024]f64 [1024][1024]f64 [1024][1024]f64 [1024][1024]f64 }

def matmul [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64): [n][p]f64 =
  map (\row -> map (\column -> f64.sum (map2 (*) row column)) (transpose b)) a

entry main [n] (a: [n][n]f64) (b: [n][n]f64) (c: [n][n]f64) (d: [n][n]f64) =
  matmul (matmul a b) (matmul c d)
