-- take, drop and split.
-- ==
-- input { [1, 2, 3, 4] 1i64 } output { [1] [2, 3, 4] [1] [2, 3, 4] }
-- input { [1, 2, 3, 4] 4i64 } output { [1, 2, 3, 4] empty([0]i32) [1, 2, 3, 4] empty([0]i32) }
-- input { empty([0]i32) 0i64 } output { empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) }
-- input { [1] 2i64 } error: .

def main [n] (xs: [n]i32) (k: i64): ([k]i32, [n - k]i32, [k]i32, []i32) =
  let (a, b) = split (xs :> [k + (n - k)]i32)
  in (take k xs, drop k xs, a, b)
