-- neg, abs, sgn and to_i64 of i16; the lowest number is its own negation.
-- ==
-- input { [0i16, 1, 5, 32767, -32768, -1, -5, -32767] }
-- output {
--   [0i16, -1, -5, -32767, -32768, 1, 5, 32767]
--   [0i16, 1, 5, 32767, -32768, 1, 5, 32767]
--   [0i16, 1, 1, 1, -1, -1, -1, -1]
--   [0i64, 1, 5, 32767, -32768, -1, -5, -32767]
-- }
-- input { empty([0]i16) }
-- output { empty([0]i16) empty([0]i16) empty([0]i16) empty([0]i64) }

def main [n] (xs: [n]i16): ([n]i16, [n]i16, [n]i16, [n]i64) =
  (map i16.neg xs, map i16.abs xs, map i16.sgn xs, map i16.to_i64 xs)
