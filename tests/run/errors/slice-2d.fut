-- A slice of a matrix out of bounds in the second dimension.
-- ==
-- input { [[1, 2], [3, 4]] 1i64 2i64 } output { [[2], [4]] }
-- input { [[1, 2], [3, 4]] 1i64 3i64 } error: out of bounds

def main (xss: [][]i32) (i: i64) (j: i64): [][]i32 = xss[:, i:j]
