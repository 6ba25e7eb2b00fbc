-- Maps nested four deep.
-- ==
-- input { [[[[1, 2], [3, 4]]]] } output { [[[[2, 4], [6, 8]]]] }
-- input { empty([0][1][2][2]i32) } output { empty([0][1][2][2]i32) }
-- input { empty([1][2][2][0]i32) } output { empty([1][2][2][0]i32) }
-- input { [[[[1, 2]]], [[[3, 4]]]] } output { [[[[2, 4]]], [[[6, 8]]]] }

def main [a] [b] [c] [d] (x: [a][b][c][d]i32): [a][b][c][d]i32 =
  map (map (map (map (* 2)))) x
