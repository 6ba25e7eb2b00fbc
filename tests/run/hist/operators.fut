-- hist with maximum, minimum, product and exclusive or.
-- ==
-- input { [0i64, 0, 1, 0] [3, 5, 2, 6] } output { [6, 2] [3, 2] [90, 2] [0, 2] }
-- input { empty([0]i64) empty([0]i32) }
-- output { [-2147483648, -2147483648] [2147483647, 2147483647] [1, 1] [0, 0] }
-- input { [0i64, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1] [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16] }
-- output { [15, 16] [1, 2] [2027025, 10321920] [0, 16] }

def main [n] (is: [n]i64) (vs: [n]i32): ([2]i32, [2]i32, [2]i32, [2]i32) =
  ( hist i32.max i32.lowest 2 is vs
  , hist i32.min i32.highest 2 is vs
  , hist (*) 1 2 is vs
  , hist (^) 0 2 is vs
  )
