-- One step of a stencil of seven points in a space; outside of it there is nothing.
-- work "128": 0.01677722 GB
-- work "416": 0.57593037 GB
-- ==
-- "tiny" nobench input { [[[1f32, 2f32], [3f32, 4f32]], [[5f32, 6f32], [7f32, 8f32]]] }
-- output { [[[1.2f32, 1.5f32], [1.8f32, 2.1f32]], [[2.4f32, 2.7f32], [3f32, 3.3f32]]] }
-- "128" compiled script input { space 128i64 }
-- "416" compiled script input { space 416i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry space (n: i64): [n][n][n]f32 =
  tabulate_3d n n n (\i j k -> value ((i * n + j) * n + k))

def inside (n: i64) (i: i64) = i >= 0 && i < n

entry main [n] [m] [p] (a: [n][m][p]f32): [n][m][p]f32 =
  let at (i, j, k) =
    if inside n i && inside m j && inside p k then a[i, j, k] else 0
  let new i j k =
    0.2 * a[i, j, k]
    + 0.1 * (at (i - 1, j, k) + at (i + 1, j, k) + at (i, j - 1, k)
             + at (i, j + 1, k) + at (i, j, k - 1) + at (i, j, k + 1))
  in map (\i -> map (\j -> map (\k -> new i j k) (iota p)) (iota m)) (iota n)
