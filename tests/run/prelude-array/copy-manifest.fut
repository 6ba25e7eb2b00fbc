-- copy and manifest give equal values.
-- ==
-- input { [[1, 2], [3, 4]] } output { [[1, 3], [2, 4]] [[1, 3], [2, 4]] 5 }
-- input { empty([2][0]i32) } output { empty([0][2]i32) empty([0][2]i32) 5 }

def main [n] [m] (xss: [n][m]i32): ([m][n]i32, [m][n]i32, i32) =
  (copy (transpose xss), manifest (transpose xss), copy 5)
