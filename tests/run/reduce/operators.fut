-- reduce with several operators and the neutral element on empty arrays.
-- ==
-- input { [3, 1, 2] } output { 6 6 3 1 0 3 }
-- input { [5] } output { 5 5 5 5 5 5 }
-- input { empty([0]i32) } output { 0 1 -2147483648 2147483647 -1 0 }

def main (xs: []i32): (i32, i32, i32, i32, i32, i32) =
  ( reduce (+) 0 xs
  , reduce (*) 1 xs
  , reduce i32.max i32.lowest xs
  , reduce i32.min i32.highest xs
  , reduce (&) (-1) xs
  , reduce (|) 0 xs
  )
