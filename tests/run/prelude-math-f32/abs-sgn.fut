-- neg, abs, sgn and recip of f32.
-- ==
-- input { [0.0f32, 1.5, -1.5, f32.inf, -f32.inf, 1.0e+02, -0.25] }
-- output {
--   [0.0f32, -1.5, 1.5, -f32.inf, f32.inf, -1.0e+02, 0.25]
--   [0.0f32, 1.5, 1.5, f32.inf, f32.inf, 1.0e+02, 0.25]
--   [0.0f32, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0]
--   [f32.inf, 0.6666667, -0.6666667, 0.0, -0.0, 0.01, -4.0]
-- }
-- input { empty([0]f32) }
-- output { empty([0]f32) empty([0]f32) empty([0]f32) empty([0]f32) }

def main [n] (xs: [n]f32): ([n]f32, [n]f32, [n]f32, [n]f32) =
  (map f32.neg xs, map f32.abs xs, map f32.sgn xs, map f32.recip xs)
