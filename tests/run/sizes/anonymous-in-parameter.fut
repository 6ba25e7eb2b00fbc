-- Anonymous sizes of several parameters are independent.
-- ==
-- input { [1, 2] [3] } output { 2i64 1i64 [1, 2, 3] }
-- input { empty([0]i32) empty([0]i32) } output { 0i64 0i64 empty([0]i32) }

def main (xs: []i32) (ys: []i32): (i64, i64, []i32) =
  (length xs, length ys, xs ++ ys)
