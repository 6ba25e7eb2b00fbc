-- popc, clz, ctz and num_bits of i16.
-- ==
-- input { [0i16, 1, 2, 32767, -32768, 96, 77, -1, -2, -100] }
-- output {
--   [0, 1, 1, 15, 1, 2, 4, 16, 15, 12]
--   [16, 15, 14, 1, 0, 9, 9, 0, 0, 0]
--   [16, 0, 1, 0, 15, 5, 0, 0, 1, 2]
--   16
-- }

def main [n] (xs: [n]i16): ([n]i32, [n]i32, [n]i32, i32) =
  (map i16.popc xs, map i16.clz xs, map i16.ctz xs, i16.num_bits)
