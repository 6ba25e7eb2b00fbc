-- The six comparisons of f64; with NaN only != holds.
-- ==
-- input {
--   [0.0, 1.0, 2.0, -1.0, 0.0, f64.inf, -f64.inf, f64.inf, f64.nan, 1.0, f64.nan]
--   [0.0, 2.0, 1.0, 1.0, -0.0, 1.0, f64.inf, f64.inf, 1.0, f64.nan, f64.nan]
-- }
-- output {
--   [true, false, false, false, true, false, false, true, false, false, false]
--   [false, true, true, true, false, true, true, false, true, true, true]
--   [false, true, false, true, false, false, true, false, false, false, false]
--   [true, true, false, true, true, false, true, true, false, false, false]
--   [false, false, true, false, false, true, false, false, false, false, false]
--   [true, false, true, false, true, true, false, true, false, false, false]
-- }

def main [n] (xs: [n]f64) (ys: [n]f64) =
  ( map2 (==) xs ys
  , map2 (!=) xs ys
  , map2 (<) xs ys
  , map2 (<=) xs ys
  , map2 (>) xs ys
  , map2 (>=) xs ys
  )
