-- popc, clz, ctz and num_bits of i8.
-- ==
-- input { [0i8, 1, 2, 127, -128, 96, 77, -1, -2, -100] }
-- output {
--   [0, 1, 1, 7, 1, 2, 4, 8, 7, 4]
--   [8, 7, 6, 1, 0, 1, 1, 0, 0, 0]
--   [8, 0, 1, 0, 7, 5, 0, 0, 1, 2]
--   8
-- }

def main [n] (xs: [n]i8): ([n]i32, [n]i32, [n]i32, i32) =
  (map i8.popc xs, map i8.clz xs, map i8.ctz xs, i8.num_bits)
