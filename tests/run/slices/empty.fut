-- Slices of an empty array.
-- ==
-- input { empty([0]i32) 0i64 } output { empty([0]i32) empty([0]i32) empty([0]i32) }
-- input { empty([0]i32) 1i64 } error: out of bounds

def main (xs: []i32) (i: i64): ([]i32, []i32, []i32) =
  (xs[i:], xs[:i], xs[::-1])
