-- An index out of bounds in one of many elements.
-- ==
-- input { [1, 2, 3] [0i64, 2, 1] } output { [1, 3, 2] }
-- input { [1, 2, 3] [0i64, 3, 1] } error: Index \[3\] out of bounds for array of shape \[3\]
-- input { [1, 2, 3] [-5i64] } error: Index \[-5\] out of bounds
-- input { empty([0]i32) empty([0]i64) } output { empty([0]i32) }

def main [n] (xs: []i32) (is: [n]i64): [n]i32 = map (\i -> xs[i]) is
