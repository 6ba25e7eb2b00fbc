-- The six comparisons of f16; with NaN only != holds.
-- ==
-- input {
--   [0.0f16, 1.0, 2.0, -1.0, 0.0, f16.inf, -f16.inf, f16.inf, f16.nan, 1.0, f16.nan]
--   [0.0f16, 2.0, 1.0, 1.0, -0.0, 1.0, f16.inf, f16.inf, 1.0, f16.nan, f16.nan]
-- }
-- output {
--   [true, false, false, false, true, false, false, true, false, false, false]
--   [false, true, true, true, false, true, true, false, true, true, true]
--   [false, true, false, true, false, false, true, false, false, false, false]
--   [true, true, false, true, true, false, true, true, false, false, false]
--   [false, false, true, false, false, true, false, false, false, false, false]
--   [true, false, true, false, true, true, false, true, false, false, false]
-- }

def main [n] (xs: [n]f16) (ys: [n]f16) =
  ( map2 (==) xs ys
  , map2 (!=) xs ys
  , map2 (<) xs ys
  , map2 (<=) xs ys
  , map2 (>) xs ys
  , map2 (>=) xs ys
  )
