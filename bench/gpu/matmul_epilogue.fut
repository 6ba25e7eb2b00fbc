-- A layer of a neural network: a product, a bias for each column, and nothing negative.
-- work "256": 0.03355443 GFLOP
-- work "4096": 137.438953 GFLOP
-- ==
-- "tiny" nobench input { [[1f32, 2f32], [3f32, -4f32]] [[0f32, 1f32], [10f32, 100f32]] [-15f32, 1f32] }
-- output { [[5f32, 202f32], [0f32, 0f32]] }
-- "256" compiled script input { layer 256i64 }
-- "4096" compiled script input { layer 4096i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry layer (n: i64): ([n][n]f32, [n][n]f32, [n]f32) =
  (tabulate_2d n n (\i j -> value (i * n + j)),
   tabulate_2d n n (\i j -> value (i * n + j + 7)),
   tabulate n (\i -> 4 * value i - f32.i64 n / 4))

def relu (x: f32) = if x > 0 then x else 0

def matmul [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32): [n][p]f32 =
  map (\row -> map (\column -> f32.sum (map2 (*) row column)) (transpose b)) a

entry main [n] [m] [p] (x: [n][m]f32) (weights: [m][p]f32) (bias: [p]f32)
           : [n][p]f32 =
  matmul x weights |> map (map2 (+) bias) |> map (map relu)
