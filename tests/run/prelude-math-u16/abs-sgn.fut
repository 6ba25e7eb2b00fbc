-- neg, abs, sgn and to_i64 of u16.
-- ==
-- input { [0u16, 1, 5, 65535, 0, 65534, 200] }
-- output {
--   [0u16, 65535, 65531, 1, 0, 2, 65336]
--   [0u16, 1, 5, 65535, 0, 65534, 200]
--   [0u16, 1, 1, 1, 0, 1, 1]
--   [0i64, 1, 5, 65535, 0, 65534, 200]
-- }
-- input { empty([0]u16) }
-- output { empty([0]u16) empty([0]u16) empty([0]u16) empty([0]i64) }

def main [n] (xs: [n]u16): ([n]u16, [n]u16, [n]u16, [n]i64) =
  (map u16.neg xs, map u16.abs xs, map u16.sgn xs, map u16.to_i64 xs)
