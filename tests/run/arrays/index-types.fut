-- An index can be of any signed integer type.
-- ==
-- input { [10, 20, 30] 0i8 1i16 2i32 1i64 } output { [10, 20, 30, 20] }
-- input { [10, 20, 30] -1i8 1i16 2i32 1i64 } error: out of bounds

def main (xs: []i32) (a: i8) (b: i16) (c: i32) (d: i64): [4]i32 =
  [xs[a], xs[b], xs[c], xs[d]]
