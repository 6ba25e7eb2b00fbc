-- alpha A x + beta y, for a matrix A and vectors x and y.
-- ==
-- "tiny" nobench input { 2f32 0.5f32 [[1f32, 2f32, 3f32], [4f32, 5f32, 6f32]] [1f32, -1f32, 2f32] [10f32, 20f32] }
-- output { [15f32, 32f32] }
-- "1024" compiled random input { 2f32 0.5f32 [1024][1024]f32 [1024]f32 [1024]f32 }
-- "4096" compiled random input { 2f32 0.5f32 [4096][4096]f32 [4096]f32 [4096]f32 }

def dot (xs: []f32) (ys: []f32) = f32.sum (map2 (*) xs ys)

entry main [n] [m] (alpha: f32) (beta: f32) (a: [n][m]f32) (x: [m]f32)
           (y: [n]f32) =
  map2 (\row b -> alpha * dot row x + beta * b) a y
