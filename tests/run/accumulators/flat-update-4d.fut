-- An update of a four-dimensional window on a flat array.
-- ==
-- input { [9, 9, 9, 9, 9, 9, 9, 9, 9, 9] } output { [9, 1, 2, 9, 3, 4, 9, 9, 9, 9] }
-- input { [0, 0, 0, 0, 0, 0] } output { [0, 1, 2, 0, 3, 4] }
-- input { [0, 0, 0, 0, 0] } error: out of bounds

def main [n] (xs: *[n]i32): []i32 =
  intrinsics.flat_update_4d xs 1 7 3 5 1 [[[[1, 2]], [[3, 4]]]]
