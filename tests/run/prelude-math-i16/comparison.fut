-- The six comparisons of i16.
-- ==
-- input { [0i16, 0, 1, 32767, -32768, 32767, -32768, -1, -1] [0i16, 1, 0, -32768, 32767, 32767, -32768, 1, -2] }
-- output {
--   [true, false, false, false, false, true, true, false, false]
--   [false, true, true, true, true, false, false, true, true]
--   [false, true, false, false, true, false, false, true, false]
--   [true, true, false, false, true, true, true, true, false]
--   [false, false, true, true, false, false, false, false, true]
--   [true, false, true, true, false, true, true, false, true]
-- }
-- input { empty([0]i16) empty([0]i16) }
-- output {
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
-- }

def main [n] (xs: [n]i16) (ys: [n]i16) =
  ( map2 (==) xs ys
  , map2 (!=) xs ys
  , map2 (<) xs ys
  , map2 (<=) xs ys
  , map2 (>) xs ys
  , map2 (>=) xs ys
  )
