-- A closure keeps the value that its variable had where it was made.
-- ==
-- input { 1 } output { 11 110 }

def main (x: i32): (i32, i32) =
  let f = \y -> x + y
  let x = x * 100
  in (f 10, x + 10)
