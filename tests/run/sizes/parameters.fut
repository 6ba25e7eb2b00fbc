-- Size parameters are variables of type i64 in the body.
-- ==
-- input { [[1, 2, 3], [4, 5, 6]] } output { 2i64 3i64 6i64 [0i64, 1, 2, 3, 4, 5] }
-- input { empty([0][3]i32) } output { 0i64 3i64 0i64 empty([0]i64) }

def main [n] [m] (_: [n][m]i32): (i64, i64, i64, [n * m]i64) =
  (n, m, n * m, iota (n * m))
