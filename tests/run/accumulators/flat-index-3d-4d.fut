-- Windows of three and four dimensions on a flat array.
-- ==
-- input { [0, 1, 2, 3, 4, 5, 6, 7] }
-- output { [[[0, 1], [2, 3]], [[4, 5], [6, 7]]] [[[[0], [1]], [[2], [3]]], [[[4], [5]], [[6], [7]]]] }

def main [n] (xs: [n]i32): ([][][]i32, [][][][]i32) =
  (intrinsics.flat_index_3d xs 0 2 4 2 2 2 1,
   intrinsics.flat_index_4d xs 0 2 4 2 2 2 1 1 1)
