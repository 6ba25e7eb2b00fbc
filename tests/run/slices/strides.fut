-- Slices with a positive stride.
-- ==
-- input { [0, 1, 2, 3, 4, 5, 6] 2i64 } output { [0, 2, 4, 6] [1, 3, 5] [1, 3] }
-- input { [0, 1, 2, 3, 4, 5, 6] 3i64 } output { [0, 3, 6] [1, 4] [1, 4] }
-- input { [0, 1, 2, 3, 4, 5, 6] 100i64 } output { [0] [1] [1] }
-- input { [0, 1, 2, 3, 4, 5, 6] 0i64 } error: .

def main (xs: []i32) (s: i64): ([]i32, []i32, []i32) =
  (xs[::s], xs[1::s], xs[1:5:s])
