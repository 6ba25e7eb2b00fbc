-- A function that consumes its parameter and returns it updated.
-- ==
-- input { [1, 2, 3] 0i64 } output { [11, 2, 3] }
-- input { [1, 2, 3] 2i64 } output { [1, 2, 13] }
-- input { [1, 2, 3] 3i64 } error: out of bounds

def bump [n] (a: *[n]i32) (i: i64): *[n]i32 = a with [i] = a[i] + 10
def main [n] (xs: *[n]i32) (i: i64): [n]i32 = bump xs i
