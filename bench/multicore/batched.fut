-- Many products of small matrices.
-- ==
-- entry: single
-- "tiny" nobench input { [[[1f32, 2f32], [3f32, 4f32]], [[0f32, 1f32], [1f32, 0f32]]]
--   [[[1f32, 0f32], [2f32, -1f32]], [[5f32, 6f32], [7f32, 8f32]]] }
-- output { [[[5f32, -2f32], [11f32, -4f32]], [[7f32, 8f32], [5f32, 6f32]]] }
-- "512 of 64 by 64" compiled random input { [512][64][64]f32 [512][64][64]f32 }

-- ==
-- entry: double
-- "tiny" nobench input { [[[1f64, 2f64], [3f64, 4f64]], [[0f64, 1f64], [1f64, 0f64]]]
--   [[[1f64, 0f64], [2f64, -1f64]], [[5f64, 6f64], [7f64, 8f64]]] }
-- output { [[[5f64, -2f64], [11f64, -4f64]], [[7f64, 8f64], [5f64, 6f64]]] }
-- "512 of 64 by 64" compiled random input { [512][64][64]f64 [512][64][64]f64 }

def product_f32 [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32): [n][p]f32 =
  map (\row -> map (\column -> f32.sum (map2 (*) row column)) (transpose b)) a

def product_f64 [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64): [n][p]f64 =
  map (\row -> map (\column -> f64.sum (map2 (*) row column)) (transpose b)) a

entry single [k] [n] [m] [p] (as: [k][n][m]f32) (bs: [k][m][p]f32)
             : [k][n][p]f32 =
  map2 product_f32 as bs

entry double [k] [n] [m] [p] (as: [k][n][m]f64) (bs: [k][m][p]f64)
             : [k][n][p]f64 =
  map2 product_f64 as bs
