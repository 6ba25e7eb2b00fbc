-- The sign of a stride known only at run time decides the default bounds.
-- ==
-- input { [0, 1, 2, 3, 4] 2i64 } output { [0, 2, 4] }
-- input { [0, 1, 2, 3, 4] -2i64 } output { [4, 2, 0] }
-- input { empty([0]i32) -1i64 } output { empty([0]i32) }

def main (xs: []i32) (s: i64): []i32 = xs[::s]
