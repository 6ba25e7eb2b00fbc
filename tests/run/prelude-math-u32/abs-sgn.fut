-- neg, abs, sgn and to_i64 of u32.
-- ==
-- input { [0u32, 1, 5, 4294967295, 0, 4294967294, 200] }
-- output {
--   [0u32, 4294967295, 4294967291, 1, 0, 2, 4294967096]
--   [0u32, 1, 5, 4294967295, 0, 4294967294, 200]
--   [0u32, 1, 1, 1, 0, 1, 1]
--   [0i64, 1, 5, 4294967295, 0, 4294967294, 200]
-- }
-- input { empty([0]u32) }
-- output { empty([0]u32) empty([0]u32) empty([0]u32) empty([0]i64) }

def main [n] (xs: [n]u32): ([n]u32, [n]u32, [n]u32, [n]i64) =
  (map u32.neg xs, map u32.abs xs, map u32.sgn xs, map u32.to_i64 xs)
