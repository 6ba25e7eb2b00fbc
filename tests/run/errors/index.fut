-- An index out of bounds gives the index and the shape.
-- ==
-- input { [1, 2, 3] 0 } output { 1 }
-- input { [1, 2, 3] 10 } error: Index \[10\] out of bounds for array of shape \[3\]
-- input { [1, 2, 3] -1 } error: Index \[-1\] out of bounds for array of shape \[3\]
-- input { empty([0]i32) 0 } error: Index \[0\] out of bounds for array of shape \[0\]

def main (xs: []i32) (i: i32): i32 = xs[i]
