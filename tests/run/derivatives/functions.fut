-- Derivatives of calls that stay calls, and of functions that consume.
-- ==
-- tags { no_peer }
-- entry: main
-- input { [1.0, 2.0, 3.0] } output { [19.0, 5.0, 8.0] [19.0, 5.0, 8.0] }

#[noinline]
def first_becomes [n] (xs: *[n]f64) (x: f64): *[n]f64 = xs with [0] = x * xs[0]
#[noinline]
def square_sum [n] (xs: [n]f64): f64 = f64.sum (map (\x -> x * x) xs)

-- The sum of the squares of (3x, 0, 0) and of the products of neighbours.
def f [n] (xs: [n]f64) =
  let ys = first_becomes (copy xs) 3
  in square_sum (take 1 ys) + xs[0] * xs[1] - xs[0] + xs[1] * xs[2] + xs[1]
     + xs[2] * xs[2]

entry main [n] (xs: [n]f64) =
  (vjp f xs 1,
   tabulate n (\i -> jvp f xs (tabulate n (\j -> f64.bool (i == j)))))
