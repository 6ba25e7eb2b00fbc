-- The sum of each row of a matrix.
-- work "1024 by 1024": 0.00419840 GB
-- work "1M by 128": 0.54106522 GB
-- work "128 by 1M": 0.53687142 GB
-- work "16M by 8": 0.60397978 GB
-- work "16384 by 8192": 0.53693645 GB
-- ==
-- "tiny" nobench input { [[1f32, 2f32, 3f32], [-4f32, 5f32, -6f32]] } output { [6f32, -5f32] }
-- "tiny, no columns" nobench input { empty([2][0]f32) } output { [0f32, 0f32] }
-- "1024 by 1024" compiled script input { matrix 1024i64 1024i64 }
-- "1M by 128" compiled script input { matrix 1048576i64 128i64 }
-- "128 by 1M" compiled script input { matrix 128i64 1048576i64 }
-- "16M by 8" compiled script input { matrix 16777216i64 8i64 }
-- "16384 by 8192" compiled script input { matrix 16384i64 8192i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry matrix (n: i64) (m: i64): [n][m]f32 =
  tabulate_2d n m (\i j -> value (i * m + j))

entry main (a: [][]f32) = map f32.sum a
