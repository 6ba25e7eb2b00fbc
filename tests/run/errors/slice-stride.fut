-- A slice whose stride is zero or whose bounds do not go with its stride.
-- ==
-- input { [1, 2, 3, 4] 0i64 4i64 2i64 } output { [1, 3] }
-- input { [1, 2, 3, 4] 3i64 0i64 -1i64 } output { [4, 3, 2] }
-- input { [1, 2, 3, 4] 0i64 4i64 0i64 } error: .
-- input { [1, 2, 3, 4] 0i64 4i64 -1i64 } error: out of bounds

def main (xs: []i32) (i: i64) (j: i64) (s: i64): []i32 = xs[i:j:s]
