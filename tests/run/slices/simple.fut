-- Slices with both bounds, one bound or none.
-- ==
-- input { [0, 1, 2, 3, 4] 1i64 3i64 } output { [1, 2] [1, 2, 3, 4] [0, 1, 2] [0, 1, 2, 3, 4] }
-- input { [0, 1, 2, 3, 4] 0i64 0i64 } output { empty([0]i32) [0, 1, 2, 3, 4] empty([0]i32) [0, 1, 2, 3, 4] }
-- input { [0, 1, 2, 3, 4] 5i64 5i64 } output { empty([0]i32) empty([0]i32) [0, 1, 2, 3, 4] [0, 1, 2, 3, 4] }
-- input { [0, 1, 2, 3, 4] 3i64 2i64 } error: out of bounds
-- input { [0, 1, 2, 3, 4] 0i64 6i64 } error: out of bounds
-- input { [0, 1, 2, 3, 4] -1i64 2i64 } error: out of bounds

def main (xs: []i32) (i: i64) (j: i64): ([]i32, []i32, []i32, []i32) =
  (xs[i:j], xs[i:], xs[:j], xs[:])
