-- The coercion :> checks sizes at run time.
-- ==
-- input { [1, 2, 3] 3i64 } output { [1, 2, 3] }
-- input { empty([0]i32) 0i64 } output { empty([0]i32) }
-- input { [1, 2, 3] 2i64 } error: cannot match shape
-- input { [1, 2, 3] 4i64 } error: \[3\].*cannot match shape.*\[4\]

def main (xs: []i32) (n: i64): [n]i32 = xs :> [n]i32
