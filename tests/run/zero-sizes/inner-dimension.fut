-- Matrices whose inner dimension is zero.
-- ==
-- input { 3i64 0i64 } output { empty([3][0]i64) empty([0][3]i64) [0i64, 0, 0] empty([0]i64) empty([3][0]i64) }
-- input { 0i64 3i64 } output { empty([0][3]i64) empty([3][0]i64) empty([0]i64) empty([0]i64) empty([0][3]i64) }
-- input { 0i64 0i64 } output { empty([0][0]i64) empty([0][0]i64) empty([0]i64) empty([0]i64) empty([0][0]i64) }
-- input { 4i64 2i64 }
-- output {
--   [[0i64, 0], [0i64, 1], [0i64, 2], [0i64, 3]]
--   [[0i64, 0, 0, 0], [0i64, 1, 2, 3]]
--   [0i64, 1, 2, 3]
--   [0i64, 0, 0, 1, 0, 2, 0, 3]
--   [[1i64, 1], [1i64, 2], [1i64, 3], [1i64, 4]]
-- }

def main (n: i64) (m: i64)
         : ([n][m]i64, [m][n]i64, [n]i64, [n * m]i64, [n][m]i64) =
  let a = tabulate_2d n m (\i j -> i * j)
  in (a, transpose a, map i64.sum a, flatten a, map (map (+ 1)) a)
