-- Histograms by operators of several kinds.
-- ==
-- entry: check
-- nobench input { 40i64 5i64 } output { true }
-- nobench input { 0i64 3i64 } output { true }

-- ==
-- entry: primal_sum gradient_sum primal_greatest gradient_greatest primal_product gradient_product
-- "10M to 100" compiled script input { data 10000000i64 100i64 }
-- "10M to 100000" compiled script input { data 10000000i64 100000i64 }

import "../lib/random"

def sum [k] [n] (dest: [k]f64) (is: [n]i64) (xs: [n]f64): [k]f64 =
  reduce_by_index (copy dest) (+) 0 is xs
def greatest [k] [n] (dest: [k]f64) (is: [n]i64) (xs: [n]f64): [k]f64 =
  reduce_by_index (copy dest) f64.max (-f64.inf) is xs
def product [k] [n] (dest: [k]f64) (is: [n]i64) (xs: [n]f64): [k]f64 =
  reduce_by_index (copy dest) (*) 1 is xs

entry primal_sum [k] [n] (dest: [k]f64) (is: [n]i64) (xs: [n]f64): [k]f64 =
  sum dest is xs
entry primal_greatest [k] [n] (dest: [k]f64) (is: [n]i64) (xs: [n]f64): [k]f64 =
  greatest dest is xs
entry primal_product [k] [n] (dest: [k]f64) (is: [n]i64) (xs: [n]f64): [k]f64 =
  product dest is xs

entry gradient_sum [k] [n] (dest: [k]f64) (is: [n]i64) (xs: [n]f64): [n]f64 =
  vjp (sum dest is) xs (random.vector 9 k)
entry gradient_greatest [k] [n] (dest: [k]f64) (is: [n]i64) (xs: [n]f64)
                        : [n]f64 =
  vjp (greatest dest is) xs (random.vector 9 k)
entry gradient_product [k] [n] (dest: [k]f64) (is: [n]i64) (xs: [n]f64)
                       : [n]f64 =
  vjp (product dest is) xs (random.vector 9 k)

entry data (n: i64) (k: i64): ([k]f64, [n]i64, [n]f64) =
  (replicate k 1,
   tabulate n (\i -> i64.f64 ((random.at 2 i + 1) / 2 * f64.i64 k)),
   map (\x -> 1 + x / 1000) (random.vector 1 n))

entry check (n: i64) (k: i64): bool =
  let (dest, is, xs) = data n k
  let d = random.vector 3 n
  let along f g =
    random.agree (\h ->
                    random.dot (random.vector 9 k)
                               (f (random.along (h / 1000) d xs))
                    * 1000)
                 (random.dot d g)
  in along (sum dest is) (gradient_sum dest is xs)
     && along (greatest dest is) (gradient_greatest dest is xs)
     && along (product dest is) (gradient_product dest is xs)
