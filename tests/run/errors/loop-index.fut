-- A loop that runs one step too far.
-- ==
-- input { [1, 2, 3] 3i64 } output { 6 }
-- input { [1, 2, 3] 4i64 } error: Index \[3\] out of bounds for array of shape \[3\]

def main (xs: []i32) (k: i64): i32 = loop s = 0 for i < k do s + xs[i]
