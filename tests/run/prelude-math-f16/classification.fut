-- isnan and isinf of f16.
-- ==
-- input { [0.0f16, 1.0, -1.0, f16.inf, -f16.inf, f16.nan, 4.0e+04] }
-- output {
--   [false, false, false, false, false, true, false]
--   [false, false, false, true, true, false, false]
-- }

def main [n] (xs: [n]f16): ([n]bool, [n]bool) =
  (map f16.isnan xs, map f16.isinf xs)
