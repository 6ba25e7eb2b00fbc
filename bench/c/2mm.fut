-- alpha A B C + beta D, for matrices A, B, C and D.
-- ==
-- "tiny" nobench input { 2f64 0.5f64 [[1f64, 2f64], [3f64, 4f64]] [[0f64, 1f64], [1f64, 1f64]]
--   [[1f64, 0f64], [2f64, -1f64]] [[10f64, 20f64], [30f64, 40f64]] }
-- output { [[21f64, 4f64], [51f64, 6f64]] }
-- "256" compiled random input { 1.5f64 1.2f64 [256][256]f64 [256][256]f64 [256][256]f64 [256][256]f64 }
-- "1024" compiled random input { 1.5f64 1.2f64 [1024][1024]f64 [1024][1024]f64 [1024][1024]f64 [1024][1024]f64 }

def matmul [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64): [n][p]f64 =
  map (\row -> map (\column -> f64.sum (map2 (*) row column)) (transpose b)) a

def scale [n] [m] (s: f64) (a: [n][m]f64): [n][m]f64 = map (map (s *)) a

def add [n] [m] (a: [n][m]f64) (b: [n][m]f64): [n][m]f64 = map2 (map2 (+)) a b

entry main [n] (alpha: f64) (beta: f64) (a: [n][n]f64) (b: [n][n]f64)
           (c: [n][n]f64) (d: [n][n]f64) =
  add (matmul (scale alpha (matmul a b)) c) (scale beta d)
