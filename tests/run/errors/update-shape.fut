-- An update of a row with an array of another size.
-- ==
-- input { [[1, 2], [3, 4]] [5, 6] } output { [[5, 6], [3, 4]] }
-- input { [[1, 2], [3, 4]] [5] } error: .

def main [n] [m] [k] (xss: *[n][m]i32) (ys: [k]i32): [n][m]i32 =
  xss with [0] = (ys :> [m]i32)
