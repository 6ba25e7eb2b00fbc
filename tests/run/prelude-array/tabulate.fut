-- tabulate in one, two and three dimensions.
-- ==
-- input { 2i64 3i64 }
-- output { [0i64, 1] [[0i64, 1, 2], [10i64, 11, 12]] [[[0i64], [10i64], [20i64]], [[100i64], [110i64], [120i64]]] }
-- input { 0i64 3i64 } output { empty([0]i64) empty([0][3]i64) empty([0][3][1]i64) }
-- input { 2i64 0i64 } output { [0i64, 1] empty([2][0]i64) empty([2][0][1]i64) }

def main (n: i64) (m: i64): ([n]i64, [n][m]i64, [n][m][1]i64) =
  ( tabulate n id
  , tabulate_2d n m (\i j -> 10 * i + j)
  , tabulate_3d n m 1 (\i j k -> 100 * i + 10 * j + k)
  )
