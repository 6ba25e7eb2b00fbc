-- Derivatives of derivatives: all ways to the second derivative are the same.
-- ==
-- entry: second
-- input { [1.0, 2.0] } output { [[6.0, 2.0], [2.0, 0.0]] [[6.0, 2.0], [2.0, 0.0]] [[6.0, 2.0], [2.0, 0.0]] [[6.0, 2.0], [2.0, 0.0]] }

-- ==
-- entry: fourth
-- input { 2.0 } output { 120.0 }

-- ==
-- entry: product
-- input { [[1.0, 2.0], [3.0, 4.0]] [[5.0, 6.0], [7.0, 8.0]] }
-- output { [[11.0, 15.0], [11.0, 15.0]] [[4.0, 4.0], [6.0, 6.0]] }

-- The cube of the first and the square of the first times the second.
def f (xs: [2]f64) =
  xs[0] ** 3 + xs[0] * xs[0] * xs[1] - 2 * xs[1] * xs[0] ** 2
  + xs[1] * (xs[0] * xs[0] + 2 * xs[0])
  - 2 * xs[0] * xs[1] + 2 * xs[0] * xs[1]

def unit (i: i64): [2]f64 = tabulate 2 (\j -> f64.bool (i == j))
def back f x = vjp f x 1f64

entry second (xs: [2]f64) =
  ( tabulate 2 (\i -> vjp (back f) xs (unit i))
  , tabulate 2 (\i -> jvp (back f) xs (unit i))
  , tabulate 2 (\i ->
                  tabulate 2 (\j -> jvp (\x -> jvp f x (unit i)) xs (unit j)))
  , tabulate 2 (\i -> vjp (\x -> jvp f x (unit i)) xs 1))

entry fourth (x: f64) =
  back (back (back (back (\y -> y * y * y * y * y / 2 + y)))) x

entry product [n] (a: [n][n]f64) (b: [n][n]f64) =
  let dot x y = f64.sum (map2 (*) x y)
  let all (a, b) = map (\r -> map (dot r) (transpose b)) a
  in vjp all (a, b) (replicate n (replicate n 1))
