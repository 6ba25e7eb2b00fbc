-- Integers are derived like floats; what is not a number has no derivative.
-- ==
-- entry: cube
-- input { 3 } output { 27 27 }
-- input { -2 } output { 12 12 }

-- ==
-- entry: converted
-- input { 2.5 } output { 2.5 }

-- ==
-- entry: compared
-- input { 2.5 } output { false 0.0 }

-- ==
-- entry: indices
-- input { [1.0, 2.0, 3.0] [2i64, 0i64] } output { [1.0, 0.0, 1.0] [0i64, 0i64] }

def third (x: i32) = x * x * x

entry cube (x: i32) = (jvp third x 1, vjp third x 1)
entry converted (x: f64) = vjp (\y -> f32.f64 y * 2) x 1.25
entry compared (x: f64) = (jvp (> 2.0) x 1, vjp (> 2.0) x true)
entry indices [n] [k] (xs: [n]f64) (is: [k]i64) =
  vjp (\(xs, is) -> f64.sum (map (\i -> xs[i]) is)) (xs, is) 1
