-- neg, abs, sgn and to_i64 of i8; the lowest number is its own negation.
-- ==
-- input { [0i8, 1, 5, 127, -128, -1, -5, -127] }
-- output {
--   [0i8, -1, -5, -127, -128, 1, 5, 127]
--   [0i8, 1, 5, 127, -128, 1, 5, 127]
--   [0i8, 1, 1, 1, -1, -1, -1, -1]
--   [0i64, 1, 5, 127, -128, -1, -5, -127]
-- }
-- input { empty([0]i8) }
-- output { empty([0]i8) empty([0]i8) empty([0]i8) empty([0]i64) }

def main [n] (xs: [n]i8): ([n]i8, [n]i8, [n]i8, [n]i64) =
  (map i8.neg xs, map i8.abs xs, map i8.sgn xs, map i8.to_i64 xs)
