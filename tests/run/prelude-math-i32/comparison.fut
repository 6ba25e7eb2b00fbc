-- The six comparisons of i32.
-- ==
-- input {
--   [0, 0, 1, 2147483647, -2147483648, 2147483647, -2147483648, -1, -1]
--   [0, 1, 0, -2147483648, 2147483647, 2147483647, -2147483648, 1, -2]
-- }
-- output {
--   [true, false, false, false, false, true, true, false, false]
--   [false, true, true, true, true, false, false, true, true]
--   [false, true, false, false, true, false, false, true, false]
--   [true, true, false, false, true, true, true, true, false]
--   [false, false, true, true, false, false, false, false, true]
--   [true, false, true, true, false, true, true, false, true]
-- }
-- input { empty([0]i32) empty([0]i32) }
-- output {
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
-- }

def main [n] (xs: [n]i32) (ys: [n]i32) =
  ( map2 (==) xs ys
  , map2 (!=) xs ys
  , map2 (<) xs ys
  , map2 (<=) xs ys
  , map2 (>) xs ys
  , map2 (>=) xs ys
  )
