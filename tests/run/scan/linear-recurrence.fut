-- A linear recurrence x[i] = a[i] * x[i-1] + b[i] by a scan of affine functions.
-- ==
-- input { [2, 3, -1] [1, 1, 5] } output { [1, 4, 1] }
-- input { empty([0]i32) empty([0]i32) } output { empty([0]i32) }

def main [n] (as: [n]i32) (bs: [n]i32): [n]i32 =
  scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (zip as bs) |> map (.1)
