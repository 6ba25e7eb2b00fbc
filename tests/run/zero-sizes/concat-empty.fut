-- Concatenations with empty arrays of any rank.
-- ==
-- input { empty([0][2]i32) [[1, 2]] } output { [[1, 2]] [[1, 2]] empty([0][2]i32) }
-- input { empty([0][2]i32) empty([0][2]i32) } output { empty([0][2]i32) empty([0][2]i32) empty([0][2]i32) }

def main [n] [k] (a: [n][2]i32) (b: [k][2]i32): ([][2]i32, [][2]i32, [][2]i32) =
  (a ++ b, b ++ a, a ++ a)
