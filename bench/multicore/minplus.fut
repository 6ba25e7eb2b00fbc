-- A product of matrices in which + stands for the multiplication and the minimum for the sum: one step of shortest paths.
-- ==
-- entry: single
-- "tiny" nobench input { [[1f32, 2f32, 3f32], [4f32, 5f32, 6f32]] [[1f32, 2f32], [0f32, -1f32], [2f32, 0.5f32]] }
-- output { [[2f32, 1f32], [5f32, 4f32]] }
-- "1024" compiled random input { [1024][1024]f32 [1024][1024]f32 }

-- ==
-- entry: double
-- "tiny" nobench input { [[1f64, 2f64, 3f64], [4f64, 5f64, 6f64]] [[1f64, 2f64], [0f64, -1f64], [2f64, 0.5f64]] }
-- output { [[2f64, 1f64], [5f64, 4f64]] }
-- "1024" compiled random input { [1024][1024]f64 [1024][1024]f64 }

entry single [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32): [n][p]f32 =
  map (\row -> map (\column -> f32.minimum (map2 (+) row column)) (transpose b))
      a

entry double [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64): [n][p]f64 =
  map (\row -> map (\column -> f64.minimum (map2 (+) row column)) (transpose b))
      a
