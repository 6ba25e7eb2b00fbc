-- The coercion of a matrix, where either dimension may be wrong.
-- ==
-- input { [[1, 2], [3, 4], [5, 6]] 3i64 2i64 } output { [[1, 2], [3, 4], [5, 6]] }
-- input { [[1, 2], [3, 4], [5, 6]] 2i64 2i64 } error: cannot match shape
-- input { [[1, 2], [3, 4], [5, 6]] 3i64 3i64 } error: cannot match shape

def main (xss: [][]i32) (n: i64) (m: i64): [n][m]i32 = xss :> [n][m]i32
