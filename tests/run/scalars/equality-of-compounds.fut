-- Equality of tuples, records, arrays and sums.
-- ==
-- input { 1 2 [1, 2] [1, 2] } output { [false, true, true, false, true, false] }
-- input { 3 3 [1] [1, 2] } output { [true, true, false, true, true, true] }
-- input { 0 0 empty([0]i32) empty([0]i32) } output { [true, true, true, false, true, true] }

def main [n] [m] (x: i32) (y: i32) (xs: [n]i32) (ys: [m]i32): [6]bool =
  let s (z: i32): #pos i32 | #zero = if z > 0 then #pos z else #zero
  let same = n == m && xs == (ys :> [n]i32)
  in [ (x, true) == (y, true)
     , {a = x, b = [x, y]} == {b = [x, y], a = x}
     , same
     , n != 0 && !same
     , s x == s x
     , s x == s y
     ]
