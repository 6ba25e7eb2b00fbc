-- A chain of lets needs one `in` at its end.
-- ==
-- input { 1 } output { 14 }

def main (x: i32): i32 =
  let a = x + 1
  let b = a * 2
  let f (y: i32) = y + b
  let (c, d) = (f a, f b)
  in c + d
