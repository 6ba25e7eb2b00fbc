-- An inner binding hides the outer one, also as a parameter.
-- ==
-- input { 1 } output { 23 }
-- input { 2 } output { 34 }

def x = 100i32
def main (x: i32): i32 =
  let x = x + 1
  let f x = x * 10
  let x = f x + x
  in (let x = x + 1 in x)
