-- An index out of bounds of a matrix gives all indices and the whole shape.
-- ==
-- input { [[1, 2], [3, 4]] 1 0 } output { 3 }
-- input { [[1, 2], [3, 4]] 2 0 } error: Index \[2, 0\] out of bounds for array of shape \[2\]\[2\]
-- input { [[1, 2], [3, 4]] 0 2 } error: Index \[0, 2\] out of bounds for array of shape \[2\]\[2\]
-- input { [[1, 2], [3, 4]] -1 -1 } error: out of bounds

def main (xss: [][]i32) (i: i32) (j: i32): i32 = xss[i, j]
