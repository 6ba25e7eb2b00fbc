-- Square, reciprocal square and cubic roots of f32.
-- ==
-- input { [1.0f32, 4.0, 0.25, 2.0, 1.0e+02, 0.125, 27.0, 64.0] }
-- output {
--   [1.0f32, 2.0, 0.5, 1.4142135, 1.0e+01, 0.35355338, 5.196152, 8.0]
--   [1.0f32, 0.5, 2.0, 0.70710677, 0.1, 2.828427, 0.19245009, 0.125]
--   [1.0f32, 1.587401, 0.62996054, 1.2599211, 4.6415887, 0.5, 3.0, 4.0]
-- }
-- input { [0.0f32, f32.inf, f32.nan] }
-- output { [0.0f32, f32.inf, f32.nan] [f32.inf, 0.0, f32.nan] [0.0f32, f32.inf, f32.nan] }

def main [n] (xs: [n]f32): ([n]f32, [n]f32, [n]f32) =
  (map f32.sqrt xs, map f32.rsqrt xs, map f32.cbrt xs)
