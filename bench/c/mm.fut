-- The product of two matrices.
-- ==
-- "tiny" nobench input { [[1f64, 2f64, 3f64], [4f64, 5f64, 6f64]] [[1f64, 2f64], [0f64, -1f64], [2f64, 0.5f64]] }
-- output { [[7f64, 1.5f64], [16f64, 6f64]] }
-- "256" compiled random input { [256][256]f64 [256][256]f64 }
-- "1024" compiled random input { [1024][1024]f64 [1024][1024]f64 }

def matmul [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64): [n][p]f64 =
  map (\row -> map (\column -> f64.sum (map2 (*) row column)) (transpose b)) a

entry main [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64) = matmul a b
