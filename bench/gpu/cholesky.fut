-- The factors of many small matrices that are symmetric and positive, after Cholesky; and by elimination.
-- work "1024 of 16 by 16": 0.00209715 GB
-- work "64K of 16 by 16": 0.13421773 GB
-- ==
-- entry: main
-- "tiny" nobench input { [[[4f32, 2f32, 2f32], [2f32, 5f32, 3f32], [2f32, 3f32, 11f32]]] }
-- output { [[[2f32, 0f32, 0f32], [1f32, 2f32, 0f32], [1f32, 1f32, 3f32]]] }
-- "1024 of 16 by 16" compiled script input { matrices 1024i64 16i64 }
-- "64K of 16 by 16" compiled script input { matrices 65536i64 16i64 }

-- ==
-- entry: lu
-- "tiny" nobench input { [[[2f32, 1f32, 1f32], [4f32, 5f32, 3f32], [2f32, 7f32, 9f32]]] }
-- output { [[[2f32, 1f32, 1f32], [2f32, 3f32, 1f32], [1f32, 2f32, 6f32]]] }
-- "1024 of 16 by 16" compiled script input { matrices 1024i64 16i64 }
-- "64K of 16 by 16" compiled script input { matrices 65536i64 16i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry matrices (k: i64) (n: i64): [k][n][n]f32 =
  tabulate_3d k n n (\l i j ->
                       value ((l * n + i64.min i j) * n + i64.max i j)
                       + if i == j then f32.i64 n else 0)

-- One column after the other, in a thread for each matrix.
def cholesky [n] (a: [n][n]f32): *[n][n]f32 =
  loop l = replicate n (replicate n 0) for j < n do
    let square = loop s = a[j, j] for k < j do s - l[j, k] * l[j, k]
    let l[j, j] = f32.sqrt square
    in loop l for i in j + 1 ..< n do
         let s = loop s = a[i, j] for k < j do s - l[i, k] * l[j, k]
         in l with [i, j] = s / l[j, j]

entry main [k] [n] (as: [k][n][n]f32): [k][n][n]f32 = map cholesky as

-- What is below the diagonal are the factors, without a choice of pivots. All elements change at the same time.
entry lu [k] [n] (as: [k][n][n]f32): [k][n][n]f32 =
  map (\a ->
         loop a for p < n do
           tabulate_2d n n (\i j ->
             if i <= p || j < p then a[i, j]
             else if j == p then a[i, p] / a[p, p]
             else a[i, j] - a[i, p] / a[p, p] * a[p, j]))
      as
