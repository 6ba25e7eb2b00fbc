-- filter of tuples and of rows.
-- ==
-- input { [[1, 2], [3, -4], [5, 6]] } output { [[1, 2], [5, 6]] [0i64, 2] }
-- input { empty([0][2]i32) } output { empty([0][2]i32) empty([0]i64) }

def main [n] [m] (xss: [n][m]i32): ([][m]i32, []i64) =
  let good = all (> 0)
  in (filter good xss,
      map (.1) (filter (\(xs, _) -> good xs) (zip xss (iota n))))
