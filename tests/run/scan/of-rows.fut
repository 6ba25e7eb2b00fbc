-- Prefix sums of every row, and of rows as a whole.
-- ==
-- input { [[1, 2, 3], [4, 5, 6]] } output { [[1, 3, 6], [4, 9, 15]] [[1, 2, 3], [5, 7, 9]] }
-- input { empty([0][3]i32) } output { empty([0][3]i32) empty([0][3]i32) }
-- input { empty([3][0]i32) } output { empty([3][0]i32) empty([3][0]i32) }

def main [n] [m] (xss: [n][m]i32): ([n][m]i32, [n][m]i32) =
  (map (scan (+) 0) xss, scan (map2 (+)) (replicate m 0) xss)
