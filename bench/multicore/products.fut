-- The product of two matrices, written as nested maps and nothing else.
-- ==
-- entry: single
-- "tiny" nobench input { [[1f32, 2f32, 3f32], [4f32, 5f32, 6f32]] [[1f32, 2f32], [0f32, -1f32], [2f32, 0.5f32]] }
-- output { [[7f32, 1.5f32], [16f32, 6f32]] }
-- "512" compiled random input { [512][512]f32 [512][512]f32 }
-- "1024" compiled random input { [1024][1024]f32 [1024][1024]f32 }
-- "2048" compiled random input { [2048][2048]f32 [2048][2048]f32 }
-- "1000 by 37 by 513" compiled random input { [1000][37]f32 [37][513]f32 }

-- ==
-- entry: double
-- "tiny" nobench input { [[1f64, 2f64, 3f64], [4f64, 5f64, 6f64]] [[1f64, 2f64], [0f64, -1f64], [2f64, 0.5f64]] }
-- output { [[7f64, 1.5f64], [16f64, 6f64]] }
-- "512" compiled random input { [512][512]f64 [512][512]f64 }
-- "1024" compiled random input { [1024][1024]f64 [1024][1024]f64 }
-- "2048" compiled random input { [2048][2048]f64 [2048][2048]f64 }
-- "1000 by 37 by 513" compiled random input { [1000][37]f64 [37][513]f64 }

-- ==
-- entry: integer
-- "tiny" nobench input { [[1, 2, 3], [4, 5, 6]] [[1, 2], [0, -1], [2, 5]] } output { [[7, 15], [16, 33]] }
-- "1024" compiled random input { [1024][1024]i32 [1024][1024]i32 }

entry single [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32): [n][p]f32 =
  map (\row -> map (\column -> f32.sum (map2 (*) row column)) (transpose b)) a

entry double [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64): [n][p]f64 =
  map (\row -> map (\column -> f64.sum (map2 (*) row column)) (transpose b)) a

entry integer [n] [m] [p] (a: [n][m]i32) (b: [m][p]i32): [n][p]i32 =
  map (\row -> map (\column -> i32.sum (map2 (*) row column)) (transpose b)) a
