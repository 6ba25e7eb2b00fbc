-- A slice downwards must start inside the array; the peer reads beyond the end.
-- ==
-- tags { no_peer }
-- input { [1, 2, 3, 4] 3i64 0i64 } output { [4, 3, 2] }
-- input { [1, 2, 3, 4] 4i64 0i64 } error: out of bounds
-- input { [1, 2, 3, 4] 5i64 0i64 } error: out of bounds

def main (xs: []i32) (i: i64) (j: i64): []i32 = xs[i:j:-1]
