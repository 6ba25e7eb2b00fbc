-- The six comparisons of i64.
-- ==
-- input {
--   [0i64, 0, 1, 9223372036854775807, -9223372036854775808, 9223372036854775807, -9223372036854775808, -1, -1]
--   [0i64, 1, 0, -9223372036854775808, 9223372036854775807, 9223372036854775807, -9223372036854775808, 1, -2]
-- }
-- output {
--   [true, false, false, false, false, true, true, false, false]
--   [false, true, true, true, true, false, false, true, true]
--   [false, true, false, false, true, false, false, true, false]
--   [true, true, false, false, true, true, true, true, false]
--   [false, false, true, true, false, false, false, false, true]
--   [true, false, true, true, false, true, true, false, true]
-- }
-- input { empty([0]i64) empty([0]i64) }
-- output {
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
-- }

def main [n] (xs: [n]i64) (ys: [n]i64) =
  ( map2 (==) xs ys
  , map2 (!=) xs ys
  , map2 (<) xs ys
  , map2 (<=) xs ys
  , map2 (>) xs ys
  , map2 (>=) xs ys
  )
