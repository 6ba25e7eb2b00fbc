-- Derivatives of scalars: products, quotients and functions, by either mode, and where there is a kink.
-- ==
-- entry: forward
-- input { 2.0 3.0 } output { 10.0 }
-- input { 0.0 3.0 } output { 4.0 }

-- ==
-- entry: back
-- input { 2.0 3.0 } output { 7.0 2.0 }
-- input { 0.0 3.0 } output { 4.0 0.0 }

-- ==
-- entry: kinks
-- input { 0.0 } output { 0.0 0.0 0.0 0.0 }
-- input { 2.0 } output { 1.0 1.0 0.0 0.5 }
-- input { -2.0 } output { -1.0 0.0 1.0 0.0 }

def f (x: f64, y: f64) =
  x * y + f64.exp 0 * (x * x) / 1 + f64.sin 0 * y + (if x == 0 then x else 0)

entry forward (x: f64) (y: f64) = jvp f (x, y) (1, 1.5)
entry back (x: f64) (y: f64) = vjp f (x, y) 1

-- The absolute value at 0 has the slope 0, and `max` of a number and an equal constant is the constant.
entry kinks (x: f64) =
  ( jvp f64.abs x 1
  , jvp (\y -> f64.max y 0) x 1
  , jvp (\y -> f64.min y 0) x 1
  , if x > 0 then jvp f64.log x 1 else 0)
