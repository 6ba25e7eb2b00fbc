-- filter keeps the order.
-- ==
-- input { [5, -1, 0, 7] } output { [5, 7] [-1] [5, -1, 0, 7] empty([0]i32) }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) }

def main (xs: []i32): ([]i32, []i32, []i32, []i32) =
  (filter (> 0) xs, filter (< 0) xs, filter (const true) xs,
   filter (const false) xs)
