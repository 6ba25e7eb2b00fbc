-- A loop that updates one element of an array at a time, each by what is in two others: the derivative must not keep
-- the array of each step.
-- ==
-- entry: check
-- nobench input { 5i64 20i64 } output { true }
-- nobench input { 1i64 0i64 } output { true }

-- ==
-- entry: primal gradient
-- "1000" compiled script input { data 1000i64 1000i64 }
-- "10000" compiled script input { data 10000i64 10000i64 }

import "../lib/random"

def ends [n] (steps: i64) (xs: [n]f64): f64 =
  let ys =
    loop ys = copy xs for i < steps do
      let j = i * 7919 % n
      in ys with [j] =
           f64.sin ys[j] * 0.5 + ys[(j * 31 + i) % n] * ys[i % n] * 0.25
  in f64.sum ys

entry primal [n] (steps: i64) (xs: [n]f64): f64 = ends steps xs
entry gradient [n] (steps: i64) (xs: [n]f64): [n]f64 = vjp (ends steps) xs 1
entry data (n: i64) (steps: i64) = (steps, random.vector 1 n)

entry check (n: i64) (steps: i64): bool =
  let (_, xs) = data n steps
  let d = random.vector 2 n
  in random.agree (\h -> ends steps (random.along h d xs))
                  (random.dot d (gradient steps xs))
