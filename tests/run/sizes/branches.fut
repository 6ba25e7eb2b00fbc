-- Branches of different sizes give an unknown size.
-- ==
-- input { true [1, 2, 3] } output { [1, 2] 2i64 }
-- input { false [1, 2, 3] } output { [1, 2, 3] 3i64 }

def main (b: bool) (xs: []i32): ([]i32, i64) =
  let ys = if b then take 2 xs else xs
  in (ys, length ys)
