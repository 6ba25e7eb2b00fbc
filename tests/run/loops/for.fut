-- for loops with a count, whose index takes the type of the bound.
-- ==
-- input { 5 } output { 120 10i64 6i8 }
-- input { 0 } output { 1 10i64 6i8 }
-- input { -3 } output { 1 10i64 6i8 }

def main (n: i32): (i32, i64, i8) =
  ( loop acc = 1 for i < n do acc * (i + 1)
  , loop acc = 0 for i < 5i64 do acc + i
  , loop acc = 0 for i < 4i8 do acc + i
  )
