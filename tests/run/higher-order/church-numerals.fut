-- Numbers as functions that iterate.
-- ==
-- input { 0 } output { 6 8 }
-- input { 10 } output { 16 18 }

def two (f: i32 -> i32) (x: i32) = f (f x)
def three (f: i32 -> i32) (x: i32) = f (f (f x))
def main (x: i32): (i32, i32) =
  (two (three (+ 1)) x, three (two (+ 1)) x + 2)
