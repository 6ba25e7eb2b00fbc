-- Windows on a flat array by flat_index_2d.
-- ==
-- input { [0, 1, 2, 3, 4, 5] } output { [[0, 1, 2], [2, 3, 4]] [[1, 4], [2, 5]] }

def main [n] (xs: [n]i32): ([][]i32, [][]i32) =
  (intrinsics.flat_index_2d xs 0 2 2 3 1, intrinsics.flat_index_2d xs 1 2 1 2 3)
