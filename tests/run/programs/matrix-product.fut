-- Products of matrices of matching shapes.
-- ==
-- input { [[1, 2], [3, 4]] [[5, 6], [7, 8]] } output { [[19, 22], [43, 50]] }
-- input { [[1, 2, 3]] [[1], [2], [3]] } output { [[14]] }
-- input { empty([0][2]i32) [[1], [2]] } output { empty([0][1]i32) }
-- input { empty([2][0]i32) empty([0][2]i32) } output { [[0, 0], [0, 0]] }
-- input { [[1, 2]] [[1, 2]] } error: .
-- input { [[1, 2]] [[1, 2, 3, 4], [5, 6, 7, 8]] } output { [[11, 14, 17, 20]] }

def main [n] [m] [p] (a: [n][m]i32) (b: [m][p]i32): [n][p]i32 =
  map (\row -> map (\col -> i32.sum (map2 (*) row col)) (transpose b)) a
