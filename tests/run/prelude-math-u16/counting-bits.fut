-- popc, clz, ctz and num_bits of u16.
-- ==
-- input { [0u16, 1, 2, 65535, 0, 96, 77, 65534, 32768, 200] }
-- output {
--   [0, 1, 1, 16, 0, 2, 4, 15, 1, 3]
--   [16, 15, 14, 0, 16, 9, 9, 0, 0, 8]
--   [16, 0, 1, 0, 16, 5, 0, 1, 15, 3]
--   16
-- }

def main [n] (xs: [n]u16): ([n]i32, [n]i32, [n]i32, i32) =
  (map u16.popc xs, map u16.clz xs, map u16.ctz xs, u16.num_bits)
