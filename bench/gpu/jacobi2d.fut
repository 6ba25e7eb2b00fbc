-- Steps of a stencil of five points on a plane whose edges stay.
-- work "512 by 512": 0.20971520 GB
-- work "1024 by 1024": 0.83886080 GB
-- work "2048 by 2048": 3.3554432 GB
-- work "8192 by 8192": 53.6870912 GB
-- ==
-- "tiny" nobench input { 1 [[1f32, 2f32, 3f32], [4f32, 5f32, 6f32], [7f32, 8f32, 10f32]] }
-- output { [[1f32, 2f32, 3f32], [4f32, 5f32, 6f32], [7f32, 8f32, 10f32]] }
-- "tiny, two steps" nobench input { 2 [[0f32, 0f32, 0f32, 0f32], [0f32, 5f32, 0f32, 0f32], [0f32, 0f32, 0f32, 0f32]] }
-- output { [[0f32, 0f32, 0f32, 0f32], [0f32, 0.4f32, 0.4f32, 0f32], [0f32, 0f32, 0f32, 0f32]] }
-- "512 by 512" compiled script input { plane 512i64 }
-- "1024 by 1024" compiled script input { plane 1024i64 }
-- "2048 by 2048" compiled script input { plane 2048i64 }
-- "8192 by 8192" compiled script input { plane 8192i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry plane (n: i64): (i32, [n][n]f32) =
  (100, tabulate_2d n n (\i j -> value (i * n + j)))

def step [n] [m] (a: [n][m]f32): [n][m]f32 =
  tabulate_2d n m (\i j ->
    if i == 0 || i == n - 1 || j == 0 || j == m - 1
    then a[i, j]
    else
      0.2 * (a[i, j] + a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]))

entry main [n] [m] (steps: i32) (a: [n][m]f32): [n][m]f32 =
  loop a for _i < steps do step a
