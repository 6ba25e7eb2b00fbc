-- Threads that read a row of their own again and again: the nearest of many points, with and without histograms of what is found,
-- and rows of several dimensions.
-- ==
-- entry: nearest
-- input { [[0, 0], [9, 9]] [[1, 2], [8, 8], [4, 4]] } output { [0i64, 1i64, 0i64] }
-- input { [[5]] [[1], [2]] } output { [0i64, 0i64] }
-- input { empty([0][2]i32) [[1, 2]] } output { [0i64] }

-- ==
-- entry: step
-- input { [[0, 0], [9, 9]] [[1, 2], [8, 8], [4, 4]] } output { [2, 1] [[5, 6], [8, 8]] }

-- ==
-- entry: agree
-- input { 300i64 7i64 5i64 } output { true }
-- input { 1i64 33i64 3i64 } output { true }
-- input { 700i64 1i64 1i64 } output { true }

-- ==
-- entry: blocks
-- input { [[[1, 2], [3, 4]], [[0, 1], [1, 0]]] [[[1, 1], [1, 1]], [[0, 0], [2, 0]]] } output { [10, 2] }

def distance [d] (a: [d]i32) (b: [d]i32): i32 =
  i32.sum (map2 (\x y -> (x - y) * (x - y)) a b)

def closest [k] [d] (cs: [k][d]i32) (p: [d]i32): i64 =
  let closer (i, x) (j, y) =
    if x < y || (x == y && i < j) then (i, x) else (j, y)
  in (reduce_comm closer (k, i32.highest)
                  (zip (iota k) (map (distance p) cs))).0

entry nearest [n] [k] [d] (cs: [k][d]i32) (ps: [n][d]i32): [n]i64 =
  map (closest cs) ps

-- The steps of k-means but for the division.
entry step [n] [k] [d] (cs: [k][d]i32) (ps: [n][d]i32): ([k]i32, [k][d]i32) =
  let is = map (closest cs) ps
  in (hist (+) 0 k is (replicate n 1),
      reduce_by_index (replicate k (replicate d 0)) (map2 (+)) (replicate d 0)
                      is ps)

entry agree (n: i64) (k: i64) (d: i64): bool =
  let value i = i32.i64 ((i * 7919) % 101)
  let ps = tabulate_2d n d (\i j -> value (i * d + j))
  let cs = tabulate_2d k d (\i j -> value (i * d + j + 77))
  let one i = (loop (at, least) = (0, distance ps[i] cs[0]) for c in 1..<k do
                 let x = distance ps[i] cs[c]
                 in if x < least then (c, x) else (at, least)).0
  let (counts, _) = step cs ps
  let found = nearest cs ps
  in and (map2 (==) found (map one (iota n)))
     && and (map2 (\c i -> c == i32.sum (map (\f -> i32.bool (f == i)) found))
                  counts (iota k))

-- The greatest product with any of the others.
entry blocks [n] [m] [d] (as: [n][m][d]i32) (bs: [n][m][d]i32): [n]i32 =
  map (\a ->
         i32.maximum (map (\b ->
                             i32.sum (map2 (\x y -> i32.sum (map2 (*) x y)) a
                                           b))
                          bs))
      as
