-- A histogram for every row.
-- ==
-- input { [[0i64, 1, 1], [2i64, 2, 9]] } output { [[1, 2, 0], [0, 0, 2]] }
-- input { empty([0][3]i64) } output { empty([0][3]i32) }
-- input { [[0i64, 1, 1, 2, 0, 1, 9]] } output { [[2, 3, 1]] }

def main [n] [m] (iss: [n][m]i64): [n][3]i32 =
  map (\is -> hist (+) 0 3 is (replicate m 1)) iss
