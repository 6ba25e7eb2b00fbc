-- The six comparisons of i8.
-- ==
-- input { [0i8, 0, 1, 127, -128, 127, -128, -1, -1] [0i8, 1, 0, -128, 127, 127, -128, 1, -2] }
-- output {
--   [true, false, false, false, false, true, true, false, false]
--   [false, true, true, true, true, false, false, true, true]
--   [false, true, false, false, true, false, false, true, false]
--   [true, true, false, false, true, true, true, true, false]
--   [false, false, true, true, false, false, false, false, true]
--   [true, false, true, true, false, true, true, false, true]
-- }
-- input { empty([0]i8) empty([0]i8) }
-- output {
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
-- }

def main [n] (xs: [n]i8) (ys: [n]i8) =
  ( map2 (==) xs ys
  , map2 (!=) xs ys
  , map2 (<) xs ys
  , map2 (<=) xs ys
  , map2 (>) xs ys
  , map2 (>=) xs ys
  )
