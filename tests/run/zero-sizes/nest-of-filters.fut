-- Filters in a nest, of rows, and of what is left of them, of arrays that are empty at each level.
-- ==
-- input { empty([0][2][3]i32) } output { empty([0]i64) empty([0][2][3]i32) 0i64 empty([0][2]i64) }
-- input { empty([2][0][3]i32) } output { [0i64, 0i64] empty([2][0][3]i32) 0i64 empty([2][0]i64) }
-- input { empty([2][3][0]i32) } output { [0i64, 0i64] empty([2][3][0]i32) 0i64 [[0i64, 0i64, 0i64], [0i64, 0i64, 0i64]] }
-- input { empty([1][0][0]i32) } output { [0i64] empty([1][0][0]i32) 0i64 empty([1][0]i64) }
-- input { empty([0][0][0]i32) } output { empty([0]i64) empty([0][0][0]i32) 0i64 empty([0][0]i64) }
-- input { [[[1, -2], [3, 5]], [[-7, -11], [-13, 17]]] }
-- output { [1i64, 1i64] [[[1, -2], [3, 5]]] 4i64 [[1i64, 2i64], [0i64, 1i64]] }

def main [a] [b] [c] (xsss: [a][b][c]i32)
         : ([a]i64, [][b][c]i32, i64, [a][b]i64) =
  ( map (\xss -> length (filter (\xs -> i32.sum xs > 0) xss)) xsss
  , filter (\xss -> i32.sum (flatten xss) >= 0) xsss
  , length (filter (> 0) (flatten (flatten xsss)))
  , map (map (\xs -> length (filter (> 0) xs))) xsss
  )
