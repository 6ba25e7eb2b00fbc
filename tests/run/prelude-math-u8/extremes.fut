-- max and min, and the bounds of u8.
-- ==
-- input { [0u8, 1, 2, 255, 0, 255, 255] [0u8, 2, 1, 0, 255, 1, 254] }
-- output { [0u8, 2, 2, 255, 255, 255, 255] [0u8, 1, 1, 0, 0, 1, 254] 255u8 0u8 }

def main [n] (xs: [n]u8) (ys: [n]u8): ([n]u8, [n]u8, u8, u8) =
  (map2 u8.max xs ys, map2 u8.min xs ys, u8.highest, u8.lowest)
