-- max and min of f16, where NaN loses against a number, and the bounds.
-- ==
-- input { [1.0f16, 2.0, -1.0, f16.inf, -f16.inf, f16.nan, 1.0] [2.0f16, 1.0, -2.0, 1.0, 1.0, 1.0, f16.nan] }
-- output {
--   [2.0f16, 2.0, -1.0, f16.inf, 1.0, 1.0, 1.0]
--   [1.0f16, 1.0, -2.0, 1.0, -f16.inf, 1.0, 1.0]
--   f16.inf
--   -f16.inf
-- }

def main [n] (xs: [n]f16) (ys: [n]f16): ([n]f16, [n]f16, f16, f16) =
  (map2 f16.max xs ys, map2 f16.min xs ys, f16.highest, f16.lowest)
