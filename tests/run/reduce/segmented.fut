-- Reductions of the rows and of the columns.
-- ==
-- input { [[1, 2, 3], [4, 5, 6]] } output { [6, 15] [5, 7, 9] 21 }
-- input { empty([0][3]i32) } output { empty([0]i32) [0, 0, 0] 0 }
-- input { empty([2][0]i32) } output { [0, 0] empty([0]i32) 0 }

def main [n] [m] (xss: [n][m]i32): ([n]i32, [m]i32, i32) =
  (map i32.sum xss, map i32.sum (transpose xss), i32.sum (map i32.sum xss))
