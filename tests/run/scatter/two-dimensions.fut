-- scatter_2d ignores an index of which either part is out of bounds.
-- ==
-- input { 2i64 3i64 [0i64, 1, 2, 0, -1] [0i64, 2, 0, 3, 1] [1, 2, 3, 4, 5] } output { [[1, 0, 0], [0, 0, 2]] }
-- input { 1i64 1i64 empty([0]i64) empty([0]i64) empty([0]i32) } output { [[0]] }

def main [l] (n: i64) (m: i64) (is: [l]i64) (js: [l]i64) (vs: [l]i32)
         : [n][m]i32 =
  scatter_2d (replicate n (replicate m 0)) (zip is js) vs
