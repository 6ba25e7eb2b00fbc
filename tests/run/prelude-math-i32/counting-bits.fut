-- popc, clz, ctz and num_bits of i32.
-- ==
-- input { [0, 1, 2, 2147483647, -2147483648, 96, 77, -1, -2, -100] }
-- output {
--   [0, 1, 1, 31, 1, 2, 4, 32, 31, 28]
--   [32, 31, 30, 1, 0, 25, 25, 0, 0, 0]
--   [32, 0, 1, 0, 31, 5, 0, 0, 1, 2]
--   32
-- }

def main [n] (xs: [n]i32): ([n]i32, [n]i32, [n]i32, i32) =
  (map i32.popc xs, map i32.clz xs, map i32.ctz xs, i32.num_bits)
