-- The six comparisons of f32; with NaN only != holds.
-- ==
-- input {
--   [0.0f32, 1.0, 2.0, -1.0, 0.0, f32.inf, -f32.inf, f32.inf, f32.nan, 1.0, f32.nan]
--   [0.0f32, 2.0, 1.0, 1.0, -0.0, 1.0, f32.inf, f32.inf, 1.0, f32.nan, f32.nan]
-- }
-- output {
--   [true, false, false, false, true, false, false, true, false, false, false]
--   [false, true, true, true, false, true, true, false, true, true, true]
--   [false, true, false, true, false, false, true, false, false, false, false]
--   [true, true, false, true, true, false, true, true, false, false, false]
--   [false, false, true, false, false, true, false, false, false, false, false]
--   [true, false, true, false, true, true, false, true, false, false, false]
-- }

def main [n] (xs: [n]f32) (ys: [n]f32) =
  ( map2 (==) xs ys
  , map2 (!=) xs ys
  , map2 (<) xs ys
  , map2 (<=) xs ys
  , map2 (>) xs ys
  , map2 (>=) xs ys
  )
