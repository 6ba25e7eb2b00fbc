-- zip of matrices pairs their rows.
-- ==
-- input { [[1, 2], [3, 4]] [[5, 6], [7, 8]] } output { [[5, 12], [21, 32]] }
-- input { empty([0][2]i32) empty([0][2]i32) } output { empty([0][2]i32) }

def main [n] [m] (xss: [n][m]i32) (yss: [n][m]i32): [n][m]i32 =
  map (\(xs, ys) -> map (\(x, y) -> x * y) (zip xs ys)) (zip xss yss)
