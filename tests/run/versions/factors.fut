-- Small matrices, each the work of a thread or of a block: factors by new matrices in a loop, by updates in place, with
-- rows that change places.
-- ==
-- entry: lu
-- input { [[[2f32, 1f32, 1f32], [4f32, 5f32, 3f32], [2f32, 7f32, 9f32]], [[1f32, 0f32, 0f32], [0f32, 1f32, 0f32], [0f32, 0f32, 1f32]]] }
-- output { [[[2f32, 1f32, 1f32], [2f32, 3f32, 1f32], [1f32, 2f32, 6f32]], [[1f32, 0f32, 0f32], [0f32, 1f32, 0f32], [0f32, 0f32, 1f32]]] }
-- input { [[[3f32]]] } output { [[[3f32]]] }

-- ==
-- entry: cholesky
-- input { [[[4f32, 2f32, 2f32], [2f32, 5f32, 3f32], [2f32, 3f32, 11f32]], [[1f32, 0f32, 0f32], [0f32, 4f32, 0f32], [0f32, 0f32, 9f32]]] }
-- output { [[[2f32, 0f32, 0f32], [1f32, 2f32, 0f32], [1f32, 1f32, 3f32]], [[1f32, 0f32, 0f32], [0f32, 2f32, 0f32], [0f32, 0f32, 3f32]]] }

-- ==
-- entry: powers
-- input { 3i64 [[[1, 1], [1, 0]], [[2, 0], [0, 3]], [[0, 1], [1, 0]]] }
-- output { [[[3, 2], [2, 1]], [[8, 0], [0, 27]], [[0, 1], [1, 0]]] }
-- input { 0i64 [[[1, 1], [1, 0]]] } output { [[[1, 0], [0, 1]]] }

-- ==
-- entry: last
-- input { [[3i64, 1i64, 2i64], [0i64, 0i64, 5i64]] } output { [[15i64, 11i64, 13i64], [0i64, 0i64, 10i64]] [6i64, 5i64] }

-- ==
-- entry: many
-- input { 300i64 7i64 } output { true }
-- input { 33i64 17i64 } output { true }

-- ==
-- entry: counts
-- input { [[0i64, 2i64, 2i64], [3i64, 3i64, 3i64], [1i64, 0i64, 1i64]] }
-- output { [[1, 0, 2, 0], [0, 0, 0, 3], [1, 2, 0, 0]] }

def factors [n] (a: [n][n]f32): [n][n]f32 =
  loop a for p < n do
    tabulate_2d n n (\i j ->
      if i <= p || j < p then a[i, j]
      else if j == p then a[i, p] / a[p, p]
      else a[i, j] - a[i, p] / a[p, p] * a[p, j])

entry lu [k] [n] (as: [k][n][n]f32): [k][n][n]f32 = map factors as

entry cholesky [k] [n] (as: [k][n][n]f32): [k][n][n]f32 =
  map (\a ->
         loop l = replicate n (replicate n 0) for j < n do
           let square = loop s = a[j, j] for k < j do s - l[j, k] * l[j, k]
           let l[j, j] = f32.sqrt square
           in loop l for i in j + 1 ..< n do
                let s = loop s = a[i, j] for k < j do s - l[i, k] * l[j, k]
                in l with [i, j] = s / l[j, j])
      as

-- The first matrix is made by the thread itself.
entry powers [k] [n] (e: i64) (as: [k][n][n]i32): [k][n][n]i32 =
  let unit = tabulate_2d n n (\i j -> i32.bool (i == j))
  in map (\a ->
            loop p = unit for _i < e do
              map (\r -> map (\c -> i32.sum (map2 (*) r c)) (transpose a)) p)
         as

-- What is carried is needed afterwards, next to what was carried first.
entry last [k] [n] (xss: [k][n]i64): ([k][n]i64, [k]i64) =
  unzip (map (\xs ->
                let ys = loop ys = xs for _i < 2i64 do map (+ ys[0]) ys
                in (map2 (+) xs ys, i64.sum xs))
             xss)

-- As many matrices as a launch has blocks and more: the product of the factors is the matrix.
entry many (k: i64) (n: i64): bool =
  let value i = f32.i64 ((i * 7919) % 101)
  let as =
    tabulate_3d k n n (\l i j ->
                         value (l * n * n + i * n + j)
                         + if i == j then 1000 else 0)
  let fs = lu as
  let back f = tabulate_2d n n (\i j ->
                 loop s = 0f32 for p < i64.min i j + 1 do
                   s + (if p == i then 1 else f[i, p]) * f[p, j])
  in and (flatten_3d (map2 (map2 (map2 (\x y -> f32.abs (x - y) < 0.5))) as
                           (map back fs)))

-- An array on the stack of a thread.
entry counts [k] [n] (xss: [k][n]i64): [k][4]i32 =
  map (\xs -> loop c = replicate 4 0i32 for x in xs do let c[x] = c[x] + 1 in c)
      xss
