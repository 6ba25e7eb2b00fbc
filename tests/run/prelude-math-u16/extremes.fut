-- max and min, and the bounds of u16.
-- ==
-- input { [0u16, 1, 2, 65535, 0, 65535, 65535] [0u16, 2, 1, 0, 65535, 1, 65534] }
-- output { [0u16, 2, 2, 65535, 65535, 65535, 65535] [0u16, 1, 1, 0, 0, 1, 65534] 65535u16 0u16 }

def main [n] (xs: [n]u16) (ys: [n]u16): ([n]u16, [n]u16, u16, u16) =
  (map2 u16.max xs ys, map2 u16.min xs ys, u16.highest, u16.lowest)
