-- neg, abs, sgn and to_i64 of i32; the lowest number is its own negation.
-- ==
-- input { [0, 1, 5, 2147483647, -2147483648, -1, -5, -2147483647] }
-- output {
--   [0, -1, -5, -2147483647, -2147483648, 1, 5, 2147483647]
--   [0, 1, 5, 2147483647, -2147483648, 1, 5, 2147483647]
--   [0, 1, 1, 1, -1, -1, -1, -1]
--   [0i64, 1, 5, 2147483647, -2147483648, -1, -5, -2147483647]
-- }
-- input { empty([0]i32) }
-- output { empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i64) }

def main [n] (xs: [n]i32): ([n]i32, [n]i32, [n]i32, [n]i64) =
  (map i32.neg xs, map i32.abs xs, map i32.sgn xs, map i32.to_i64 xs)
