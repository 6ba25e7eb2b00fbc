-- neg, abs, sgn and recip of f16.
-- ==
-- input { [0.0f16, 1.5, -1.5, f16.inf, -f16.inf, 1.0e+02, -0.25] }
-- output {
--   [0.0f16, -1.5, 1.5, -f16.inf, f16.inf, -1.0e+02, 0.25]
--   [0.0f16, 1.5, 1.5, f16.inf, f16.inf, 1.0e+02, 0.25]
--   [0.0f16, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0]
--   [f16.inf, 0.6665, -0.6665, 0.0, -0.0, 0.01, -4.0]
-- }
-- input { empty([0]f16) }
-- output { empty([0]f16) empty([0]f16) empty([0]f16) empty([0]f16) }

def main [n] (xs: [n]f16): ([n]f16, [n]f16, [n]f16, [n]f16) =
  (map f16.neg xs, map f16.abs xs, map f16.sgn xs, map f16.recip xs)
