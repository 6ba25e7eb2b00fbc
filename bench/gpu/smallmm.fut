-- Products of very many very small matrices.
-- work "1024 of 8 by 8": 0.00078643 GB
-- work "64K of 8 by 8": 0.05033165 GB
-- work "1M of 4 by 4": 0.20132659 GB
-- ==
-- "tiny" nobench input { [[[1f32, 2f32], [3f32, 4f32]], [[1f32, 0f32], [0f32, 2f32]]] [[[5f32, 6f32], [7f32, 8f32]], [[7f32, 1f32], [8f32, 1f32]]] }
-- output { [[[19f32, 22f32], [43f32, 50f32]], [[7f32, 1f32], [16f32, 2f32]]] }
-- "1024 of 8 by 8" compiled script input { matrices 1024i64 8i64 }
-- "64K of 8 by 8" compiled script input { matrices 65536i64 8i64 }
-- "1M of 4 by 4" compiled script input { matrices 1048576i64 4i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry matrices (k: i64) (n: i64): ([k][n][n]f32, [k][n][n]f32) =
  (tabulate_3d k n n (\l i j -> value ((l * n + i) * n + j)),
   tabulate_3d k n n (\l i j -> value ((l * n + i) * n + j + 7)))

entry main [k] [n] (as: [k][n][n]f32) (bs: [k][n][n]f32): [k][n][n]f32 =
  map2 (\a b ->
          map (\i ->
                 map (\j -> f32.sum (map (\l -> a[i, l] * b[l, j]) (iota n)))
                     (iota n))
              (iota n))
       as bs
