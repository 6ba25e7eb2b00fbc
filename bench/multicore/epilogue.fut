-- A product of matrices, to whose columns numbers are added, and of which the negative elements become zero: a layer of a
-- neural network.
-- ==
-- entry: single
-- "tiny" nobench input { [[1f32, 2f32, 3f32], [4f32, 5f32, 6f32]] [[1f32, 2f32], [0f32, -1f32], [2f32, 0.5f32]]
--   [-10f32, 0.5f32] }
-- output { [[0f32, 2f32], [6f32, 6.5f32]] }
-- "1024" compiled random input { [1024][1024]f32 [1024][1024]f32 [1024]f32 }

-- ==
-- entry: double
-- "tiny" nobench input { [[1f64, 2f64, 3f64], [4f64, 5f64, 6f64]] [[1f64, 2f64], [0f64, -1f64], [2f64, 0.5f64]]
--   [-10f64, 0.5f64] }
-- output { [[0f64, 2f64], [6f64, 6.5f64]] }
-- "1024" compiled random input { [1024][1024]f64 [1024][1024]f64 [1024]f64 }

def product_f32 [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32): [n][p]f32 =
  map (\row -> map (\column -> f32.sum (map2 (*) row column)) (transpose b)) a

def product_f64 [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64): [n][p]f64 =
  map (\row -> map (\column -> f64.sum (map2 (*) row column)) (transpose b)) a

entry single [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32) (bias: [p]f32)
             : [n][p]f32 =
  map (map2 (\y x -> f32.max 0 (x + y)) bias) (product_f32 a b)

entry double [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64) (bias: [p]f64)
             : [n][p]f64 =
  map (map2 (\y x -> f64.max 0 (x + y)) bias) (product_f64 a b)
