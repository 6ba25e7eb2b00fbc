-- popc, clz, ctz and num_bits of u8.
-- ==
-- input { [0u8, 1, 2, 255, 0, 96, 77, 254, 128, 200] }
-- output {
--   [0, 1, 1, 8, 0, 2, 4, 7, 1, 3]
--   [8, 7, 6, 0, 8, 1, 1, 0, 0, 0]
--   [8, 0, 1, 0, 8, 5, 0, 1, 7, 3]
--   8
-- }

def main [n] (xs: [n]u8): ([n]i32, [n]i32, [n]i32, i32) =
  (map u8.popc xs, map u8.clz xs, map u8.ctz xs, u8.num_bits)
