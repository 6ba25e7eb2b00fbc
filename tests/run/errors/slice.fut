-- A slice out of bounds or in the wrong direction.
-- ==
-- input { [1, 2, 3] 0i64 3i64 } output { [1, 2, 3] }
-- input { [1, 2, 3] 1i64 4i64 } error: out of bounds for array of shape \[3\]
-- input { [1, 2, 3] 2i64 1i64 } error: out of bounds for array of shape \[3\]
-- input { [1, 2, 3] -1i64 1i64 } error: out of bounds

def main (xs: []i32) (i: i64) (j: i64): []i32 = xs[i:j]
