-- Square, reciprocal square and cubic roots of f16.
-- ==
-- input { [1.0f16, 4.0, 0.25, 2.0, 1.0e+02, 0.125, 27.0, 64.0] }
-- output {
--   [1.0f16, 2.0, 0.5, 1.414, 1.0e+01, 0.3535, 5.195, 8.0]
--   [1.0f16, 0.5, 2.0, 0.707, 0.1, 2.828, 0.1925, 0.125]
--   [1.0f16, 1.587, 0.63, 1.26, 4.64, 0.5, 3.0, 4.0]
-- }
-- input { [0.0f16, f16.inf, f16.nan] }
-- output { [0.0f16, f16.inf, f16.nan] [f16.inf, 0.0, f16.nan] [0.0f16, f16.inf, f16.nan] }

def main [n] (xs: [n]f16): ([n]f16, [n]f16, [n]f16) =
  (map f16.sqrt xs, map f16.rsqrt xs, map f16.cbrt xs)
