-- A reduction whose elements are arrays.
-- ==
-- input { [[1, 2], [3, 4], [5, 6]] } output { [9, 12] [5, 6] }
-- input { empty([0][2]i32) } output { [0, 0] [-2147483648, -2147483648] }

def main [n] [m] (xss: [n][m]i32): ([m]i32, [m]i32) =
  ( reduce (map2 (+)) (replicate m 0) xss
  , reduce (map2 i32.max) (replicate m i32.lowest) xss
  )
