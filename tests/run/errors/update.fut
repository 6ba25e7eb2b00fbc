-- An update out of bounds.
-- ==
-- input { [1, 2, 3] 2i64 } output { [1, 2, 0] }
-- input { [1, 2, 3] 3i64 } error: Index \[3\] out of bounds for array of shape \[3\]
-- input { [1, 2, 3] -1i64 } error: out of bounds

def main [n] (xs: *[n]i32) (i: i64): [n]i32 = xs with [i] = 0
