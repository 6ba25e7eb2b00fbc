-- expect: unused-size
-- Nothing has the size.
def sum [n] (xs: []i64): i64 = reduce (+) 0 xs
