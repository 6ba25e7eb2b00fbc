-- Two negative sizes have a right product and are still no sizes.
-- ==
-- input { 1i64 3i64 [1, 2, 3] } output { [[1, 2, 3]] }
-- input { 0i64 3i64 empty([0]i32) } output { empty([0][3]i32) }
-- input { -1i64 -3i64 [1, 2, 3] } error: Cannot unflatten array of shape \[3\] to array of shape \[-1\]\[-3\]

def main (n: i64) (m: i64) (xs: []i32): [n][m]i32 = unflatten (xs :> [n * m]i32)
