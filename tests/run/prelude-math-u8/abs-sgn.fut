-- neg, abs, sgn and to_i64 of u8.
-- ==
-- input { [0u8, 1, 5, 255, 0, 254, 200] }
-- output {
--   [0u8, 255, 251, 1, 0, 2, 56]
--   [0u8, 1, 5, 255, 0, 254, 200]
--   [0u8, 1, 1, 1, 0, 1, 1]
--   [0i64, 1, 5, 255, 0, 254, 200]
-- }
-- input { empty([0]u8) }
-- output { empty([0]u8) empty([0]u8) empty([0]u8) empty([0]i64) }

def main [n] (xs: [n]u8): ([n]u8, [n]u8, [n]u8, [n]i64) =
  (map u8.neg xs, map u8.abs xs, map u8.sgn xs, map u8.to_i64 xs)
