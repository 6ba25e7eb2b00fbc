-- Products of many matrices of odd sizes.
-- work "16 of 96 by 37 by 65": 0.00738816 GFLOP
-- work "64 of 1000 by 37 by 513": 2.429568 GFLOP
-- ==
-- "tiny" nobench input { [[[1f32, 2f32], [3f32, 4f32]], [[1f32, 0f32], [0f32, 2f32]]] [[[5f32], [6f32]], [[7f32], [8f32]]] }
-- output { [[[17f32], [39f32]], [[7f32], [16f32]]] }
-- "16 of 96 by 37 by 65" compiled script input { matrices 16i64 96i64 37i64 65i64 }
-- "64 of 1000 by 37 by 513" compiled script input { matrices 64i64 1000i64 37i64 513i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry matrices (k: i64) (n: i64) (m: i64) (p: i64)
               : ([k][n][m]f32, [k][m][p]f32) =
  (tabulate_3d k n m (\l i j -> value ((l * n + i) * m + j)),
   tabulate_3d k m p (\l i j -> value ((l * m + i) * p + j + 7)))

def dotprod xs ys = reduce (+) 0f32 (map2 (*) xs ys)

def matmul [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32): [n][p]f32 =
  map (\row -> map (dotprod row) (transpose b)) a

entry main [k] [n] [m] [p] (as: [k][n][m]f32) (bs: [k][m][p]f32): [k][n][p]f32 =
  map2 matmul as bs
