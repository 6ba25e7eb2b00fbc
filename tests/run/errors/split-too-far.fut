-- A split behind the end.
-- ==
-- input { [1, 2, 3] 1i64 } output { [1] [2, 3] }
-- input { [1, 2, 3] 4i64 } error: .

def main [n] (xs: [n]i32) (k: i64): ([]i32, []i32) =
  let (a, b) = split (xs :> [k + i64.max 0 (n - k)]i32)
  in (a, b)
