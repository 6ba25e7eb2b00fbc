-- Loop variables that are not used, and a loop over an array of tuples ignoring parts.
-- ==
-- input { [1, 2] [true, false] } output { 8 3 }

def main [n] (xs: [n]i32) (bs: [n]bool): (i32, i32) =
  ( loop x = 1 for _ in iota 3 do x * 2
  , loop s = 0 for (x, _) in zip xs bs do s + x
  )
