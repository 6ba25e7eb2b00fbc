-- The six comparisons of u64.
-- ==
-- input {
--   [0u64, 0, 1, 18446744073709551615, 0, 18446744073709551615, 0, 18446744073709551615, 1]
--   [0u64, 1, 0, 0, 18446744073709551615, 18446744073709551615, 0, 18446744073709551614, 18446744073709551615]
-- }
-- output {
--   [true, false, false, false, false, true, true, false, false]
--   [false, true, true, true, true, false, false, true, true]
--   [false, true, false, false, true, false, false, false, true]
--   [true, true, false, false, true, true, true, false, true]
--   [false, false, true, true, false, false, false, true, false]
--   [true, false, true, true, false, true, true, true, false]
-- }
-- input { empty([0]u64) empty([0]u64) }
-- output {
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
-- }

def main [n] (xs: [n]u64) (ys: [n]u64) =
  ( map2 (==) xs ys
  , map2 (!=) xs ys
  , map2 (<) xs ys
  , map2 (<=) xs ys
  , map2 (>) xs ys
  , map2 (>=) xs ys
  )
