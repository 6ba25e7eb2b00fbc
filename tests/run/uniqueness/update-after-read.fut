-- Values read before an update keep the old contents.
-- ==
-- input { [1, 2, 3] } output { 1 [9, 2, 3] 6 }

def main [n] (xs: *[n]i32): (i32, [n]i32, i32) =
  let first = xs[0]
  let total = i32.sum xs
  let ys = xs with [0] = 9
  in (first, ys, total)
