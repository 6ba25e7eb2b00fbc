-- Updates of windows on a flat array.
-- ==
-- input { [0, 0, 0, 0, 0, 0, 0, 0] } output { [0, 1, 2, 0, 0, 3, 4, 0] [1, 2, 3, 4, 5, 6, 7, 8] }

def main [n] (xs: *[n]i32): ([]i32, []i32) =
  let ys = copy xs
  in ( intrinsics.flat_update_2d xs 1 4 1 [[1, 2], [3, 4]]
     , intrinsics.flat_update_3d ys 0 4 2 1 [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
     )
