-- Products of which one operand is transposed.
-- work "256": 0.03355443 GFLOP
-- work "4096": 137.438953 GFLOP
-- ==
-- entry: left
-- "tiny" nobench input { [[1f32, 2f32], [3f32, 4f32]] [[0f32, 1f32], [10f32, 100f32]] } output { [[30f32, 301f32], [40f32, 402f32]] }
-- "256" compiled script input { matrices 256i64 }
-- "4096" compiled script input { matrices 4096i64 }

-- ==
-- entry: right
-- "tiny" nobench input { [[1f32, 2f32], [3f32, 4f32]] [[0f32, 1f32], [10f32, 100f32]] } output { [[2f32, 210f32], [4f32, 430f32]] }
-- "256" compiled script input { matrices 256i64 }
-- "4096" compiled script input { matrices 4096i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry matrices (n: i64): ([n][n]f32, [n][n]f32) =
  (tabulate_2d n n (\i j -> value (i * n + j)),
   tabulate_2d n n (\i j -> value (i * n + j + 7)))

def matmul [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32): [n][p]f32 =
  map (\row -> map (\column -> f32.sum (map2 (*) row column)) (transpose b)) a

entry left [n] [m] [p] (a: [m][n]f32) (b: [m][p]f32): [n][p]f32 =
  matmul (transpose a) b

entry right [n] [m] [p] (a: [n][m]f32) (b: [p][m]f32): [n][p]f32 =
  map (\xs -> map (\ys -> f32.sum (map2 (*) xs ys)) b) a
