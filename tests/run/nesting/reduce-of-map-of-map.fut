-- A reduction of rows, each of which is the result of a reduction.
-- ==
-- input { [[1, 2], [3, 4]] [[1, 0], [0, 1]] } output { 10 [4, 6] }
-- input { empty([0][2]i32) [[1, 0], [0, 1]] } output { 0 [0, 0] }

def main [n] (xss: [n][2]i32) (m: [2][2]i32): (i32, [2]i32) =
  let yss = map (\xs -> map (\row -> reduce (+) 0 (map2 (*) xs row)) m) xss
  in (i32.sum (map i32.sum yss), reduce (map2 (+)) [0, 0] yss)
