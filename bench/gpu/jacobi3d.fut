-- Steps of a stencil of seven points in a space whose edges stay.
-- work "128": 1.67772160 GB
-- work "400": 51.2 GB
-- ==
-- "tiny" nobench input { 1 [[[0f32, 0f32, 0f32], [0f32, 7f32, 0f32], [0f32, 0f32, 0f32]],
--   [[0f32, 1f32, 0f32], [2f32, 3f32, 4f32], [0f32, 5f32, 0f32]],
--   [[0f32, 0f32, 0f32], [0f32, 6f32, 0f32], [0f32, 0f32, 0f32]]] }
-- output { [[[0f32, 0f32, 0f32], [0f32, 7f32, 0f32], [0f32, 0f32, 0f32]],
--   [[0f32, 1f32, 0f32], [2f32, 3.5f32, 4f32], [0f32, 5f32, 0f32]],
--   [[0f32, 0f32, 0f32], [0f32, 6f32, 0f32], [0f32, 0f32, 0f32]]] }
-- "128" compiled script input { space 128i64 }
-- "400" compiled script input { space 400i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry space (n: i64): (i32, [n][n][n]f32) =
  (100, tabulate_3d n n n (\i j k -> value ((i * n + j) * n + k)))

def step [n] [m] [p] (a: [n][m][p]f32): [n][m][p]f32 =
  tabulate_3d n m p (\i j k ->
    if i == 0 || i == n - 1 || j == 0 || j == m - 1 || k == 0 || k == p - 1
    then a[i, j, k]
    else
      0.125
      * (a[i, j, k] + a[i - 1, j, k] + a[i + 1, j, k] + a[i, j - 1, k]
         + a[i, j + 1, k]
         + a[i, j, k - 1] + a[i, j, k + 1]))

entry main [n] [m] [p] (steps: i32) (a: [n][m][p]f32): [n][m][p]f32 =
  loop a for _i < steps do step a
