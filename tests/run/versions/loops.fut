-- Loops inside the rows of a map: arrays that they carry, updates in place, branches, arrays made otherwise.
-- ==
-- entry: heat
-- input { 2i64 [[4f32, 0f32, 0f32, 8f32], [1f32, 1f32, 1f32, 1f32]] }
-- output { [[2.5f32, 1.75f32, 2.75f32, 5f32], [1f32, 1f32, 1f32, 1f32]] }
-- input { 0i64 [[4f32, 0f32]] } output { [[4f32, 0f32]] }

-- ==
-- entry: eliminate
-- input { [[[1f32, 2f32], [4f32, 6f32]], [[1f32, 0f32], [0f32, 3f32]]] }
-- output { [[[1f32, 2f32], [4f32, 2f32]], [[1f32, 0f32], [0f32, 3f32]]] }

-- ==
-- entry: doubling
-- input { [[1, 2, 3, 4, 5], [0, 0, 7, 0, 0]] } output { [[1, 3, 6, 10, 15], [0, 0, 7, 7, 7]] }

-- ==
-- entry: updates
-- input { [[1, 2, 3], [9, 0, -1]] 1i64 } output { [[1, 7, 10], [10, 9, 0]] [18, 19] }
-- input { [[1, 2, 3], [9, 0, -1]] 3i64 } error: Index \[3\] out of bounds

-- ==
-- entry: made
-- input { [[1i64, 2i64, 3i64], [0i64, -1i64, 0i64]] } output { [[1i64, 8i64, 15i64, 15i64], [0i64, -2i64, -2i64, 0i64]] }

-- ==
-- entry: turns
-- input { 3i64 [[0, 1]] [[1, 1]] } output { [[2, 3]] [[3, 5]] }

entry heat [n] [m] (k: i64) (xss: [n][m]f32): [n][m]f32 =
  let step (xs: [m]f32) =
    tabulate m (\i ->
                  0.25 * xs[i64.max 0 (i - 1)] + 0.5 * xs[i]
                  + 0.25 * xs[i64.min (m - 1) (i + 1)])
  in map (\xs -> loop xs for _i < k do step xs) xss

-- As in Gaussian elimination, but with pivots that are one larger.
entry eliminate [n] [m] (as: [n][m][m]f32): [n][m][m]f32 =
  map (\a ->
         loop a for k < m do
           tabulate_2d m m (\i j ->
                              if i > k && j > k
                              then a[i, j] - a[i, k] / (a[k, k] + 1) * a[k, j]
                              else a[i, j]))
      as

entry doubling [n] [m] (xss: [n][m]i32): [n][m]i32 =
  map (\xs -> (loop (xs, s) = (xs, 1i64) while s < m do
                 (tabulate m (\i ->
                                if i >= s then xs[i] + xs[i - s] else xs[i]),
                  2 * s)).0)
      xss

entry updates [n] [m] (xss: [n][m]i32) (j: i64): ([n][m]i32, [n]i32) =
  unzip (map (\xs ->
                let ys = copy xs with [j] = i32.sum xs
                let zs = if ys[0] > 5 then map (+ 1) ys else scan (+) 0 ys
                in (zs, i32.sum zs))
             xss)

entry made [n] [m] (xss: [n][m]i64): [n][]i64 =
  map (\xs ->
         let ys =
           map3 (\x i s -> x + i * s) xs (iota m) (replicate m (i64.sum xs))
         in ys ++ [i64.maximum ys])
      xss

-- Two arrays take turns.
entry turns [n] [m] (k: i64) (xss: [n][m]i32) (yss: [n][m]i32)
            : ([n][m]i32, [n][m]i32) =
  unzip (map2 (\xs ys ->
                 loop (xs, ys) = (xs, ys) for _i < k do (ys, map2 (+) xs ys))
              xss yss)
