-- Functions as arguments of functions.
-- ==
-- input { 3 } output { 5 12 81 }

def twice 'a (f: a -> a) (x: a): a = f (f x)
def main (x: i32): (i32, i32, i32) =
  (twice (+ 1) x, twice (* 2) x, twice (\y -> y * y) x)
