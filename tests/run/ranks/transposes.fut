-- Transposes of different pairs of dimensions of an array of rank 3.
-- ==
-- input { [[[1, 2, 3], [4, 5, 6]]] }
-- output { [[[1, 2, 3]], [[4, 5, 6]]] [[[1, 4], [2, 5], [3, 6]]] [[[1], [4]], [[2], [5]], [[3], [6]]] }

def main [a] [b] [c] (x: [a][b][c]i32)
         : ([b][a][c]i32, [a][c][b]i32, [c][b][a]i32) =
  (transpose x, map transpose x, transpose (map transpose (transpose x)))
