-- The softmax of every row of a matrix.
-- work "1024 by 1024": 0.00838861 GB
-- work "64K by 1024": 0.53687091 GB
-- work "128K by 1024": 1.07374182 GB
-- work "1M by 64": 0.53687091 GB
-- ==
-- "tiny" nobench input { [[0f32, 0f32], [1f32, 2f32], [100f32, 101f32]] } output { [[0.5f32, 0.5f32], [0.268941421f32, 0.731058579f32], [0.268941421f32, 0.731058579f32]] }
-- "1024 by 1024" compiled script input { matrix 1024i64 1024i64 }
-- "64K by 1024" compiled script input { matrix 65536i64 1024i64 }
-- "128K by 1024" compiled script input { matrix 131072i64 1024i64 }
-- "1M by 64" compiled script input { matrix 1048576i64 64i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry matrix (n: i64) (m: i64): [n][m]f32 =
  tabulate_2d n m (\i j -> 8 * value (i * m + j))

def softmax [n] (xs: [n]f32): [n]f32 =
  let greatest = f32.maximum xs
  let exps = map (\x -> f32.exp (x - greatest)) xs
  let sum = f32.sum exps
  in map (/ sum) exps

entry main (xss: [][]f32) = map softmax xss
