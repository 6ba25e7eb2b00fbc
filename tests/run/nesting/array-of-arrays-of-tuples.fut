-- Matrices of tuples, transposed and reduced.
-- ==
-- input { [[1, 2], [3, 4]] } output { [[1, 3], [2, 4]] [[10, 30], [20, 40]] 10 100 }
-- input { empty([0][2]i32) } output { empty([2][0]i32) empty([2][0]i32) 0 0 }

def main [n] [m] (xss: [n][m]i32): ([m][n]i32, [m][n]i32, i32, i32) =
  let t = transpose (map (map (\x -> (x, 10 * x))) xss)
  let (a, b) = unzip (map unzip t)
  let (s, u) = reduce (\(p, q) (r, s) -> (p + r, q + s)) (0, 0) (flatten t)
  in (a, b, s, u)
