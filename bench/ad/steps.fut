-- Many steps over an array, each of which needs all of it: keeping the array of each step would take a thousand times
-- its memory.
-- ==
-- entry: check
-- nobench input { 6i64 7i64 } output { true }
-- nobench input { 3i64 1i64 } output { true }
-- nobench input { 3i64 0i64 } output { true }

-- ==
-- entry: primal gradient
-- "1000 steps over 80 kB" compiled script input { data 10000i64 1000i64 }
-- "1000 steps over 10 MB" compiled script input { data 1250000i64 1000i64 }

import "../lib/random"

def step [n] (xs: [n]f64): [n]f64 =
  tabulate n (\i ->
    let (l, x, r) =
      (xs[if i == 0 then n - 1 else i - 1], xs[i],
       xs[if i == n - 1 then 0 else i + 1])
    in x + 0.1 * (l - 2 * x + r) + 0.01 * x * (1 - x * x))

def ends [n] (steps: i64) (xs: [n]f64): f64 =
  f64.sum (loop xs for _i < steps do step xs)

entry primal [n] (steps: i64) (xs: [n]f64): f64 = ends steps xs
entry gradient [n] (steps: i64) (xs: [n]f64): [n]f64 = vjp (ends steps) xs 1
entry data (n: i64) (steps: i64) = (steps, random.vector 1 n)

entry check (n: i64) (steps: i64): bool =
  let (_, xs) = data n steps
  let d = random.vector 2 n
  in random.agree (\h -> ends steps (random.along h d xs))
                  (random.dot d (gradient steps xs))
