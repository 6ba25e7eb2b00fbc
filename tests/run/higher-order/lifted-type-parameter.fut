-- A type parameter with a caret can stand for a function type.
-- ==
-- input { 5 } output { 6 10 }

def choose '^a (x: a) (_: a): a = x
def both '^a '^b (x: a) (y: b): (a, b) = (x, y)
def main (x: i32): (i32, i32) =
  let f = choose (\y -> y + 1i32) (\y -> y - 1)
  let (g, z) = both (* 2i32) x
  in (f x, g z)
