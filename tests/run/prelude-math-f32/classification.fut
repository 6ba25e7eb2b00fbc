-- isnan and isinf of f32.
-- ==
-- input { [0.0f32, 1.0, -1.0, f32.inf, -f32.inf, f32.nan, 2.0e+38] }
-- output {
--   [false, false, false, false, false, true, false]
--   [false, false, false, true, true, false, false]
-- }

def main [n] (xs: [n]f32): ([n]bool, [n]bool) =
  (map f32.isnan xs, map f32.isinf xs)
