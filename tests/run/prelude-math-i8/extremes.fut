-- max and min, and the bounds of i8.
-- ==
-- input { [0i8, 1, 2, 127, -128, 127, -1, -1, -128] [0i8, 2, 1, -128, 127, 1, 1, -2, -1] }
-- output {
--   [0i8, 2, 2, 127, 127, 127, 1, -1, -1]
--   [0i8, 1, 1, -128, -128, 1, -1, -2, -128]
--   127i8
--   -128i8
-- }

def main [n] (xs: [n]i8) (ys: [n]i8): ([n]i8, [n]i8, i8, i8) =
  (map2 i8.max xs ys, map2 i8.min xs ys, i8.highest, i8.lowest)
