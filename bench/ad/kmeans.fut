-- Clusters by Newton's method: the sum of squared distances to the nearest centre, its gradient, and the diagonal of
-- its Hessian, which has nothing else, so that one direction gives all of it.
-- ==
-- entry: check
-- nobench input { 20i64 2i64 3i64 } output { true }

-- ==
-- entry: primal gradient
-- "n 10000, d 32, k 10" compiled script input { data 10000i64 32i64 10i64 }
-- "n 100000, d 8, k 20" compiled script input { data 100000i64 8i64 20i64 }

import "../lib/random"

def cost [n] [d] [k] (points: [n][d]f64) (centres: [k][d]f64): f64 =
  f64.sum (map (\p ->
                  f64.minimum (map (\c ->
                                      f64.sum (map2 (\x y -> (x - y) ** 2) p c))
                                   centres))
               points)

entry primal [n] [d] [k] (points: [n][d]f64) (centres: [k][d]f64): f64 =
  cost points centres

entry gradient [n] [d] [k] (points: [n][d]f64) (centres: [k][d]f64)
               : ([k][d]f64, [k][d]f64) =
  jvp2 (\centres -> vjp (cost points) centres 1) centres
       (replicate k (replicate d 1))

entry data (n: i64) (d: i64) (k: i64) =
  (random.matrix 1 n d, random.matrix 2 k d)

entry check (n: i64) (d: i64) (k: i64): bool =
  let (points, centres) = data n d k
  let (slopes, diagonal) = gradient points centres
  let nearest p =
    (reduce_comm (\(x, i) (y, j) ->
                    if x < y || (x == y && i < j) then (x, i) else (y, j))
                 (f64.inf, k)
                 (zip (map (\c -> f64.sum (map2 (\x y -> (x - y) ** 2) p c))
                           centres)
                      (iota k))).1
  let counts =
    reduce_by_index (replicate k 0) (+) 0 (map nearest points) (replicate n 1)
  let d' = random.matrix 3 k d
  in and (map2 (\row n -> all (\x -> f64.abs (x - 2 * n) < 1e-9) row) diagonal
               counts)
     && random.agree (\h ->
                        cost points (map2 (random.along (h / 100)) d' centres)
                        * 100)
                     (f64.sum (map2 random.dot d' slopes))
