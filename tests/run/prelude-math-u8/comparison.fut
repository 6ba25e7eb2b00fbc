-- The six comparisons of u8.
-- ==
-- input { [0u8, 0, 1, 255, 0, 255, 0, 255, 1] [0u8, 1, 0, 0, 255, 255, 0, 254, 255] }
-- output {
--   [true, false, false, false, false, true, true, false, false]
--   [false, true, true, true, true, false, false, true, true]
--   [false, true, false, false, true, false, false, false, true]
--   [true, true, false, false, true, true, true, false, true]
--   [false, false, true, true, false, false, false, true, false]
--   [true, false, true, true, false, true, true, true, false]
-- }
-- input { empty([0]u8) empty([0]u8) }
-- output {
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
-- }

def main [n] (xs: [n]u8) (ys: [n]u8) =
  ( map2 (==) xs ys
  , map2 (!=) xs ys
  , map2 (<) xs ys
  , map2 (<=) xs ys
  , map2 (>) xs ys
  , map2 (>=) xs ys
  )
