-- (-1) is a number and not a section; (subtract 1) must be written otherwise.
-- ==
-- input { 5 } output { -5 4 4 }

def apply (f: i32 -> i32) (x: i32) = f x
def main (x: i32): (i32, i32, i32) =
  ((-1) * x, apply (\y -> y - 1) x, apply (+ (-1)) x)
