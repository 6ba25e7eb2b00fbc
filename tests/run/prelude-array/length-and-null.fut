-- length and null.
-- ==
-- input { [1, 2, 3] } output { 3i64 false }
-- input { empty([0]i32) } output { 0i64 true }

def main (xs: []i32): (i64, bool) = (length xs, null xs)
