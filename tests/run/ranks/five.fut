-- An array of rank 5: indexed, summed and transposed at several depths.
-- ==
-- input { [[[[[1, 2]]], [[[3, 4]]]]] } output { 10 [[[[[1, 2]], [[3, 4]]]]] [[[[[1], [2]]], [[[3], [4]]]]] 4 }
-- input { empty([1][0][1][1][2]i32) } error: out of bounds
-- input { [[[[[1, 2]]], [[[3, 4]]]], [[[[5, 6]]], [[[7, 8]]]]] }
-- output { 36 [[[[[1, 2]], [[3, 4]]]], [[[[5, 6]], [[7, 8]]]]] [[[[[1], [2]]], [[[3], [4]]]], [[[[5], [6]]], [[[7], [8]]]]] 4 }

def main [a] [b] [c] [d] [e] (x: [a][b][c][d][e]i32)
         : (i32, [a][c][b][d][e]i32, [a][b][c][e][d]i32, i32) =
  ( i32.sum (map (\y -> i32.sum (flatten_4d y)) x)
  , map transpose x
  , map (map (map transpose)) x
  , x[0, 1, 0, 0, 1]
  )
