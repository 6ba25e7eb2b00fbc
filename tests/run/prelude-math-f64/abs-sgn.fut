-- neg, abs, sgn and recip of f64.
-- ==
-- input { [0.0, 1.5, -1.5, f64.inf, -f64.inf, 1.0e+02, -0.25] }
-- output {
--   [0.0, -1.5, 1.5, -f64.inf, f64.inf, -1.0e+02, 0.25]
--   [0.0, 1.5, 1.5, f64.inf, f64.inf, 1.0e+02, 0.25]
--   [0.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0]
--   [f64.inf, 0.6666666666666666, -0.6666666666666666, 0.0, -0.0, 0.01, -4.0]
-- }
-- input { empty([0]f64) }
-- output { empty([0]f64) empty([0]f64) empty([0]f64) empty([0]f64) }

def main [n] (xs: [n]f64): ([n]f64, [n]f64, [n]f64, [n]f64) =
  (map f64.neg xs, map f64.abs xs, map f64.sgn xs, map f64.recip xs)
