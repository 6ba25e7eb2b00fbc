-- A copy of a matrix with rows for columns.
-- work "1024 by 1024": 0.00838861 GB
-- work "8192 by 8192": 0.53687091 GB
-- work "32 by 2M": 0.53687091 GB
-- ==
-- "tiny" nobench input { [[1f32, 2f32], [3f32, 4f32], [5f32, 6f32]] } output { [[1f32, 3f32, 5f32], [2f32, 4f32, 6f32]] }
-- "1024 by 1024" compiled script input { matrix 1024i64 1024i64 }
-- "8192 by 8192" compiled script input { matrix 8192i64 8192i64 }
-- "32 by 2M" compiled script input { matrix 32i64 2097152i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry matrix (n: i64) (m: i64): [n][m]f32 =
  tabulate_2d n m (\i j -> value (i * m + j))

entry main [n] [m] (a: [n][m]f32): [m][n]f32 = copy (transpose a)
