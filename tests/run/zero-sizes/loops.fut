-- Loops that run zero times, over arrays and counts.
-- ==
-- input { 0 empty([0]i32) } output { 7 7 7 }
-- input { -5 empty([0]i32) } output { 7 7 7 }
-- input { 1 [3] } output { 8 10 8 }

def main (n: i32) (xs: []i32): (i32, i32, i32) =
  ( loop a = 7 for _i < n do a + 1
  , loop a = 7 for x in xs do a + x
  , loop a = 7 while a - 7 < n do a + 1
  )
