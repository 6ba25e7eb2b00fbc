-- A nest of maps over arrays that are empty at each level, in their order and transposed.
-- ==
-- input { empty([0][2][3]i32) } output { empty([0][2][3]i32) empty([3][2][0]i32) empty([2][3][0]i32) }
-- input { empty([2][0][3]i32) } output { empty([2][0][3]i32) empty([3][0][2]i32) empty([0][3][2]i32) }
-- input { empty([2][3][0]i32) } output { empty([2][3][0]i32) empty([0][3][2]i32) empty([3][0][2]i32) }
-- input { empty([5][0][0]i32) } output { empty([5][0][0]i32) empty([0][0][5]i32) empty([0][0][5]i32) }
-- input { empty([0][0][5]i32) } output { empty([0][0][5]i32) empty([5][0][0]i32) empty([0][5][0]i32) }
-- input { empty([0][0][0]i32) } output { empty([0][0][0]i32) empty([0][0][0]i32) empty([0][0][0]i32) }
-- input { [[[1, 2], [3, 4]]] } output { [[[2, 3], [4, 5]]] [[[1], [3]], [[2], [4]]] [[[2], [4]], [[6], [8]]] }

def main [a] [b] [c] (xsss: [a][b][c]i32)
         : ([a][b][c]i32, [c][b][a]i32, [b][c][a]i32) =
  ( map (map (map (+ 1))) xsss
  , tabulate_3d c b a (\k j i -> xsss[i, j, k])
  , map transpose (transpose (map (map (map (* 2))) xsss))
  )
