-- max and min of f32, where NaN loses against a number, and the bounds.
-- ==
-- input { [1.0f32, 2.0, -1.0, f32.inf, -f32.inf, f32.nan, 1.0] [2.0f32, 1.0, -2.0, 1.0, 1.0, 1.0, f32.nan] }
-- output {
--   [2.0f32, 2.0, -1.0, f32.inf, 1.0, 1.0, 1.0]
--   [1.0f32, 1.0, -2.0, 1.0, -f32.inf, 1.0, 1.0]
--   f32.inf
--   -f32.inf
-- }

def main [n] (xs: [n]f32) (ys: [n]f32): ([n]f32, [n]f32, f32, f32) =
  (map2 f32.max xs ys, map2 f32.min xs ys, f32.highest, f32.lowest)
