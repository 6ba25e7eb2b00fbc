-- A window on a flat array that leaves it.
-- ==
-- input { [0, 1, 2, 3] 2i64 } output { [[0, 1], [2, 3]] }
-- input { [0, 1, 2, 3] 3i64 } error: out of bounds

def main [n] (xs: [n]i32) (s: i64): [][]i32 =
  intrinsics.flat_index_2d xs 0 2 s 2 1
