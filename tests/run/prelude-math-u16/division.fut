-- Division of u16: rounded down by / and %, towards zero by // and %%.
-- ==
-- input { [7u16, 6, 0, 65535, 65535, 0, 1, 100, 65535, 65534, 3] [2u16, 3, 5, 2, 65535, 3, 65535, 7, 65534, 65535, 200] }
-- output {
--   [3u16, 2, 0, 32767, 1, 0, 0, 14, 1, 0, 0]
--   [1u16, 0, 0, 1, 0, 0, 1, 2, 1, 65534, 3]
--   [3u16, 2, 0, 32767, 1, 0, 0, 14, 1, 0, 0]
--   [1u16, 0, 0, 1, 0, 0, 1, 2, 1, 65534, 3]
-- }
-- input { [9u16] [4u16] }
-- output { [2u16] [1u16] [2u16] [1u16] }
-- input { [1u16] [0u16] }
-- error: division by zero

def main [n] (xs: [n]u16) (ys: [n]u16): ([n]u16, [n]u16, [n]u16, [n]u16) =
  (map2 (/) xs ys, map2 (%) xs ys, map2 (//) xs ys, map2 (%%) xs ys)
