-- transpose of matrices and of arrays of rank 3.
-- ==
-- input { [[1, 2, 3], [4, 5, 6]] } output { [[1, 4], [2, 5], [3, 6]] [[[1, 1]], [[2, 2]], [[3, 3]]] }
-- input { [[1]] } error: .
-- input { empty([2][0]i32) } output { empty([0][2]i32) empty([0][1][2]i32) }

def main [m] (xss: [2][m]i32): ([m][2]i32, [m][1][2]i32) =
  (transpose xss, transpose [map (\x -> [x, x]) xss[0]])
