-- Reductions at each level of a nest, of arrays that are empty at each level.
-- ==
-- input { empty([0][2][3]i32) } output { empty([0][2]i32) empty([0][3]i32) [[0, 0, 0], [0, 0, 0]] empty([0]i32) 0 }
-- input { empty([2][0][3]i32) } output { empty([2][0]i32) [[0, 0, 0], [0, 0, 0]] empty([0][3]i32) [-1, -1] -2 }
-- input { empty([2][3][0]i32) } output { [[0, 0, 0], [0, 0, 0]] empty([2][0]i32) empty([3][0]i32) [0, 0] 0 }
-- input { empty([2][0][0]i32) } output { empty([2][0]i32) empty([2][0]i32) empty([0][0]i32) [-1, -1] -2 }
-- input { empty([0][0][2]i32) } output { empty([0][0]i32) empty([0][2]i32) empty([0][2]i32) empty([0]i32) 0 }
-- input { [[[1, 2], [3, 5]], [[7, 11], [13, 17]]] }
-- output { [[3, 8], [18, 30]] [[4, 7], [20, 28]] [[8, 13], [16, 22]] [8, 30] 38 }

def sums [n] [m] (xss: [n][m]i32): [m]i32 =
  reduce (map2 (+)) (replicate m 0) xss

def main [a] [b] [c] (xsss: [a][b][c]i32)
         : ([a][b]i32, [a][c]i32, [b][c]i32, [a]i32, i32) =
  let largest = map (\xss -> reduce i32.max (-1) (map i32.sum xss)) xsss
  in (map (map i32.sum) xsss, map sums xsss, map sums (transpose xsss), largest,
      i32.sum largest)
