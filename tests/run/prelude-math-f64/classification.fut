-- isnan and isinf of f64.
-- ==
-- input { [0.0, 1.0, -1.0, f64.inf, -f64.inf, f64.nan, 1.0e+308] }
-- output {
--   [false, false, false, false, false, true, false]
--   [false, false, false, true, true, false, false]
-- }

def main [n] (xs: [n]f64): ([n]bool, [n]bool) =
  (map f64.isnan xs, map f64.isinf xs)
