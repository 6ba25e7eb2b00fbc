-- for loops over the elements of an array, with patterns.
-- ==
-- input { [1, 2, 3] [10, 20, 30] } output { 6 140 321 }
-- input { empty([0]i32) empty([0]i32) } output { 0 0 0 }

def main [n] (xs: [n]i32) (ys: [n]i32): (i32, i32, i32) =
  ( loop s = 0 for x in xs do s + x
  , loop s = 0 for (x, y) in zip xs ys do s + x * y
  , loop s = 0 for x in reverse xs do s * 10 + x
  )
