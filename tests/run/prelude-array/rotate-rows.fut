-- rotate of rows and of columns of a matrix.
-- ==
-- input { [[1, 2, 3], [4, 5, 6]] } output { [[4, 5, 6], [1, 2, 3]] [[2, 3, 1], [5, 6, 4]] }
-- input { empty([0][3]i32) } output { empty([0][3]i32) empty([0][3]i32) }

def main [n] [m] (xss: [n][m]i32): ([n][m]i32, [n][m]i32) =
  (rotate 1 xss, map (rotate 1) xss)
