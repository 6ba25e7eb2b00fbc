-- Division of u8: rounded down by / and %, towards zero by // and %%.
-- ==
-- input { [7u8, 6, 0, 255, 255, 0, 1, 100, 255, 254, 3] [2u8, 3, 5, 2, 255, 3, 255, 7, 254, 255, 200] }
-- output {
--   [3u8, 2, 0, 127, 1, 0, 0, 14, 1, 0, 0]
--   [1u8, 0, 0, 1, 0, 0, 1, 2, 1, 254, 3]
--   [3u8, 2, 0, 127, 1, 0, 0, 14, 1, 0, 0]
--   [1u8, 0, 0, 1, 0, 0, 1, 2, 1, 254, 3]
-- }
-- input { [9u8] [4u8] }
-- output { [2u8] [1u8] [2u8] [1u8] }
-- input { [1u8] [0u8] }
-- error: division by zero

def main [n] (xs: [n]u8) (ys: [n]u8): ([n]u8, [n]u8, [n]u8, [n]u8) =
  (map2 (/) xs ys, map2 (%) xs ys, map2 (//) xs ys, map2 (%%) xs ys)
