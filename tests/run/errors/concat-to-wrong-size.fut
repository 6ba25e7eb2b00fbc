-- A concatenation coerced to a size that it does not have.
-- ==
-- input { 5i64 [1, 2] [3, 4, 5] } output { [1, 2, 3, 4, 5] }
-- input { 4i64 [1, 2] [3, 4, 5] } error: cannot match shape

def main (k: i64) (xs: []i32) (ys: []i32): [k]i32 = (xs ++ ys) :> [k]i32
