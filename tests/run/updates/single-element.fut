-- Update of one element, with `with` and with `let`.
-- ==
-- input { [1, 2, 3] 1i64 9 } output { [1, 9, 3] }
-- input { [1, 2, 3] 3i64 9 } error: Index \[3\] out of bounds for array of shape \[3\]
-- input { [1, 2, 3] -1i64 9 } error: out of bounds
-- input { empty([0]i32) 0i64 9 } error: out of bounds

def main [n] (xs: *[n]i32) (i: i64) (v: i32): *[n]i32 = xs with [i] = v
