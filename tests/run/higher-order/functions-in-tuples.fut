-- A tuple of functions, taken apart by a pattern.
-- ==
-- input { 10 } output { 11 9 110 }

def both (k: i32) = ((+ k), (\x -> x - k))
def main (x: i32): (i32, i32, i32) =
  let (up, down) = both 1
  let fs = {f = up, g = {h = (* 10)}}
  in (up x, down x, fs.g.h (fs.f x))
