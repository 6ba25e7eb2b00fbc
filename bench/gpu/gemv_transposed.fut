-- A transposed matrix times a vector.
-- work "1024 by 1024": 0.00420250 GB
-- work "8192 by 8192": 0.26850099 GB
-- work "64 by 1M": 0.27263002 GB
-- work "1M by 64": 0.27263002 GB
-- ==
-- "tiny" nobench input { [[1f32, 2f32], [3f32, 4f32], [5f32, 6f32]] [10f32, -1f32, 2f32] } output { [17f32, 28f32] }
-- "1024 by 1024" compiled script input { system 1024i64 1024i64 }
-- "8192 by 8192" compiled script input { system 8192i64 8192i64 }
-- "64 by 1M" compiled script input { system 64i64 1048576i64 }
-- "1M by 64" compiled script input { system 1048576i64 64i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry system (n: i64) (m: i64): ([n][m]f32, [n]f32) =
  (tabulate_2d n m (\i j -> value (i * m + j)), tabulate n value)

entry main [n] [m] (a: [n][m]f32) (x: [n]f32): [m]f32 =
  map (\column -> map2 (*) column x |> f32.sum) (transpose a)
