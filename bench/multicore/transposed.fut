-- Products of matrices of which one or both are stored transposed.
-- ==
-- entry: left_single
-- "tiny" nobench input { [[1f32, 4f32], [2f32, 5f32], [3f32, 6f32]] [[1f32, 2f32], [0f32, -1f32], [2f32, 0.5f32]] }
-- output { [[7f32, 1.5f32], [16f32, 6f32]] }
-- "1024" compiled random input { [1024][1024]f32 [1024][1024]f32 }

-- ==
-- entry: left_double
-- "tiny" nobench input { [[1f64, 4f64], [2f64, 5f64], [3f64, 6f64]] [[1f64, 2f64], [0f64, -1f64], [2f64, 0.5f64]] }
-- output { [[7f64, 1.5f64], [16f64, 6f64]] }
-- "1024" compiled random input { [1024][1024]f64 [1024][1024]f64 }

-- ==
-- entry: right_single
-- "tiny" nobench input { [[1f32, 2f32, 3f32], [4f32, 5f32, 6f32]] [[1f32, 0f32, 2f32], [2f32, -1f32, 0.5f32]] }
-- output { [[7f32, 1.5f32], [16f32, 6f32]] }
-- "1024" compiled random input { [1024][1024]f32 [1024][1024]f32 }

-- ==
-- entry: right_double
-- "tiny" nobench input { [[1f64, 2f64, 3f64], [4f64, 5f64, 6f64]] [[1f64, 0f64, 2f64], [2f64, -1f64, 0.5f64]] }
-- output { [[7f64, 1.5f64], [16f64, 6f64]] }
-- "1024" compiled random input { [1024][1024]f64 [1024][1024]f64 }

-- ==
-- entry: both_single
-- "tiny" nobench input { [[1f32, 4f32], [2f32, 5f32], [3f32, 6f32]] [[1f32, 0f32, 2f32], [2f32, -1f32, 0.5f32]] }
-- output { [[7f32, 1.5f32], [16f32, 6f32]] }
-- "1024" compiled random input { [1024][1024]f32 [1024][1024]f32 }

-- ==
-- entry: both_double
-- "tiny" nobench input { [[1f64, 4f64], [2f64, 5f64], [3f64, 6f64]] [[1f64, 0f64, 2f64], [2f64, -1f64, 0.5f64]] }
-- output { [[7f64, 1.5f64], [16f64, 6f64]] }
-- "1024" compiled random input { [1024][1024]f64 [1024][1024]f64 }

def product_f32 [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32): [n][p]f32 =
  map (\row -> map (\column -> f32.sum (map2 (*) row column)) (transpose b)) a

def product_f64 [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64): [n][p]f64 =
  map (\row -> map (\column -> f64.sum (map2 (*) row column)) (transpose b)) a

entry left_single [n] [m] [p] (a: [m][n]f32) (b: [m][p]f32): [n][p]f32 =
  product_f32 (transpose a) b
entry left_double [n] [m] [p] (a: [m][n]f64) (b: [m][p]f64): [n][p]f64 =
  product_f64 (transpose a) b
entry right_single [n] [m] [p] (a: [n][m]f32) (b: [p][m]f32): [n][p]f32 =
  product_f32 a (transpose b)
entry right_double [n] [m] [p] (a: [n][m]f64) (b: [p][m]f64): [n][p]f64 =
  product_f64 a (transpose b)
entry both_single [n] [m] [p] (a: [m][n]f32) (b: [p][m]f32): [n][p]f32 =
  product_f32 (transpose a) (transpose b)
entry both_double [n] [m] [p] (a: [m][n]f64) (b: [p][m]f64): [n][p]f64 =
  product_f64 (transpose a) (transpose b)
