-- The six comparisons of u32.
-- ==
-- input {
--   [0u32, 0, 1, 4294967295, 0, 4294967295, 0, 4294967295, 1]
--   [0u32, 1, 0, 0, 4294967295, 4294967295, 0, 4294967294, 4294967295]
-- }
-- output {
--   [true, false, false, false, false, true, true, false, false]
--   [false, true, true, true, true, false, false, true, true]
--   [false, true, false, false, true, false, false, false, true]
--   [true, true, false, false, true, true, true, false, true]
--   [false, false, true, true, false, false, false, true, false]
--   [true, false, true, true, false, true, true, true, false]
-- }
-- input { empty([0]u32) empty([0]u32) }
-- output {
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
--   empty([0]bool)
-- }

def main [n] (xs: [n]u32) (ys: [n]u32) =
  ( map2 (==) xs ys
  , map2 (!=) xs ys
  , map2 (<) xs ys
  , map2 (<=) xs ys
  , map2 (>) xs ys
  , map2 (>=) xs ys
  )
