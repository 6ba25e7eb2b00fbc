-- take and drop of more than there is.
-- ==
-- input { [1, 2, 3] 2i64 } output { [1, 2] [3] }
-- input { [1, 2, 3] 0i64 } output { empty([0]i32) [1, 2, 3] }
-- input { [1, 2, 3] 3i64 } output { [1, 2, 3] empty([0]i32) }
-- input { [1, 2, 3] 4i64 } error: out of bounds
-- input { [1, 2, 3] -1i64 } error: out of bounds

def main (xs: []i32) (n: i64): ([]i32, []i32) = (take n xs, drop n xs)
