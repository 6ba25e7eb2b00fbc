-- With a space f [x] is an application, without one it is an index.
-- ==
-- input { [4, 5, 6] } output { 5 1i64 1i64 }

def main (xs: []i32): (i32, i64, i64) = (xs[1], length [1i32], length ([xs[2]]))
