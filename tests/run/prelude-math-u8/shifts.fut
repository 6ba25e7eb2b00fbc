-- Shifts of u8; to the right zeros come in.
-- ==
-- input { [1u8, 1, 255, 0, 0, 100, 0, 255, 77, 254] [0u8, 7, 1, 7, 1, 3, 5, 7, 2, 4] }
-- output { [1u8, 128, 254, 0, 0, 32, 0, 128, 52, 224] [1u8, 0, 127, 0, 0, 12, 0, 1, 19, 15] }

def main [n] (xs: [n]u8) (ys: [n]u8): ([n]u8, [n]u8) =
  (map2 (<<) xs ys, map2 (>>) xs ys)
