-- Nested maps over a matrix and its transpose.
-- ==
-- input { [[1, 2], [3, 4], [5, 6]] } output { [[2, 4], [6, 8], [10, 12]] [9, 12] [3, 7, 11] }
-- input { empty([0][2]i32) } output { empty([0][2]i32) [0, 0] empty([0]i32) }

def main [n] [m] (xss: [n][m]i32): ([n][m]i32, [m]i32, [n]i32) =
  (map (map (* 2)) xss, map i32.sum (transpose xss), map (reduce (+) 0) xss)
