-- The six comparisons of u16.
-- ==
-- input { [0u16, 0, 1, 65535, 0, 65535, 0, 65535, 1] [0u16, 1, 0, 0, 65535, 65535, 0, 65534, 65535] }
-- output {
--   [true, false, false, false, false, true, true, false, false]
--   [false, true, true, true, true, false, false, true, true]
--   [false, true, false, false, true, false, false, false, true]
--   [true, true, false, false, true, true, true, false, true]
--   [false, false, true, true, false, false, false, true, false]
--   [true, false, true, true, false, true, true, true, false]
-- }
-- input { empty([0]u16) empty([0]u16) }
-- output {
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
-- }

def main [n] (xs: [n]u16) (ys: [n]u16) =
  ( map2 (==) xs ys
  , map2 (!=) xs ys
  , map2 (<) xs ys
  , map2 (<=) xs ys
  , map2 (>) xs ys
  , map2 (>=) xs ys
  )
