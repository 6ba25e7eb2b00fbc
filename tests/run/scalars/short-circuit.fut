-- The right operands of && and || are evaluated only where they matter.
-- ==
-- input { [1, 0, 3] 1i64 } output { false true }
-- input { [1, 0, 3] 2i64 } output { true true }
-- input { [1, 0, 3] 3i64 } output { false true }
-- input { empty([0]i32) -1i64 } output { false true }

def main [n] (xs: [n]i32) (i: i64): (bool, bool) =
  ( i >= 0 && i < n && xs[i] > 1
  , i < 0 || i >= n || 6 / i32.max 1 xs[i] >= 2
  )
