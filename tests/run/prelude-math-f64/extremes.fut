-- max and min of f64, where NaN loses against a number, and the bounds.
-- ==
-- input { [1.0, 2.0, -1.0, f64.inf, -f64.inf, f64.nan, 1.0] [2.0, 1.0, -2.0, 1.0, 1.0, 1.0, f64.nan] }
-- output {
--   [2.0, 2.0, -1.0, f64.inf, 1.0, 1.0, 1.0]
--   [1.0, 1.0, -2.0, 1.0, -f64.inf, 1.0, 1.0]
--   f64.inf
--   -f64.inf
-- }

def main [n] (xs: [n]f64) (ys: [n]f64): ([n]f64, [n]f64, f64, f64) =
  (map2 f64.max xs ys, map2 f64.min xs ys, f64.highest, f64.lowest)
