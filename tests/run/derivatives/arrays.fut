-- Derivatives of views, updates and constructors of arrays.
-- ==
-- entry: jacobian
-- input { [1.0, 2.0, 3.0] }
-- output { [[0.0, 0.0, 4.0], [12.0, 0.0, 4.0], [0.0, 0.0, 1.0]] }

-- ==
-- entry: same
-- input { [1.0, 2.0, 3.0] } output { true }
-- input { [5.0] } output { true }

-- ==
-- entry: empty
-- input { empty([0]f64) } output { empty([0]f64) empty([0]f64) 0.0 }

def f [n] (xs: [n]f64): [n]f64 =
  let ys = copy xs
  let ys[0] = 4 * xs[n - 1]
  let m = transpose (replicate 2 ys)
  let zs = flatten m
  in if n > 1 then copy ys with [1] = zs[0] * xs[0] + zs[1] - zs[1] else ys

entry jacobian [n] (xs: [n]f64) =
  tabulate n (\i -> vjp f xs (tabulate n (\j -> f64.bool (i == j))))

entry same [n] (xs: [n]f64) =
  let unit i = tabulate n (\j -> f64.bool (i == j))
  let forward = transpose (tabulate n (\i -> jvp f xs (unit i)))
  let back = tabulate n (\i -> vjp f xs (unit i))
  in and (map2 (\a b -> and (map2 (==) a b)) forward back)

entry empty [n] (xs: [n]f64) =
  let g (ys: [n]f64) = map (* f64.product ys) ys
  in (jvp g xs xs, vjp g xs xs, jvp (\(ys: [n]f64) -> f64.maximum ys) xs xs)
