-- A scatter for every row.
-- ==
-- input { [[2i64, 0, 1], [0i64, 5, 1]] } output { [[1i64, 2, 0], [0i64, 2, -1]] }
-- input { empty([0][2]i64) } output { empty([0][2]i64) }

def main [n] [m] (iss: [n][m]i64): [n][m]i64 =
  map (\is -> scatter (replicate m (-1)) is (iota m)) iss
