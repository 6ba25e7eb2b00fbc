-- A segmented prefix sum with flags.
-- ==
-- input { [true, false, true, false, false] [1, 2, 3, 4, 5] } output { [1, 3, 3, 7, 12] }
-- input { [false, false] [1, 2] } output { [1, 3] }
-- input { empty([0]bool) empty([0]i32) } output { empty([0]i32) }

def main [n] (flags: [n]bool) (xs: [n]i32): [n]i32 =
  let op (f, x) (g, y) = (f || g, if g then y else x + y)
  in (unzip (scan op (false, 0) (zip flags xs))).1
