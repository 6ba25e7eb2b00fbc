-- One step of a stencil on a plane: nine points by indices that stop at the edges, and five points of rotated planes.
-- work "1024 by 1024": 0.00838861 GB
-- work "8192 by 8192": 0.53687091 GB
-- ==
-- entry: blur
-- "tiny" nobench input { [[0f32, 0f32, 0f32], [0f32, 9f32, 0f32], [0f32, 0f32, 18f32]] }
-- output { [[1f32, 1f32, 1f32], [1f32, 3f32, 5f32], [1f32, 5f32, 9f32]] }
-- "1024 by 1024" compiled script input { plane 1024i64 1024i64 }
-- "8192 by 8192" compiled script input { plane 8192i64 8192i64 }

-- ==
-- entry: rotated
-- "tiny" nobench input { [[1f32, 2f32, 3f32], [4f32, 5f32, 6f32]] }
-- output { [[9f32, 6f32, 3f32], [-3f32, -6f32, -9f32]] }
-- "1024 by 1024" compiled script input { plane 1024i64 1024i64 }
-- "8192 by 8192" compiled script input { plane 8192i64 8192i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry plane (n: i64) (m: i64): [n][m]f32 =
  tabulate_2d n m (\i j -> value (i * m + j))

entry blur [n] [m] (a: [n][m]f32): [n][m]f32 =
  let at i j = a[i64.max 0 (i64.min (n - 1) i), i64.max 0 (i64.min (m - 1) j)]
  in tabulate_2d n m (\i j ->
       (at (i - 1) (j - 1) + at (i - 1) j + at (i - 1) (j + 1)
        + at i (j - 1) + at i j + at i (j + 1)
        + at (i + 1) (j - 1) + at (i + 1) j + at (i + 1) (j + 1)) / 9)

-- What is above the first row is the last one.
entry rotated [n] [m] (a: [n][m]f32): [n][m]f32 =
  let up = rotate (-1) a
  let down = rotate 1 a
  let left = map (rotate (-1)) a
  let right = map (rotate 1) a
  in map3 (map3 (\x (u, d) (l, r) -> u + d + l + r - 4 * x)) a
          (map2 zip up down) (map2 zip left right)
