-- Instead of functions, a conditional chooses the values that a closure captures.
-- ==
-- input { true 5 } output { 10 }
-- input { false 5 } output { 8 }

def main (b: bool) (x: i32): i32 =
  let (a, c) = if b then (2, 0) else (1, 3)
  let f = \y -> a * y + c
  in f x
