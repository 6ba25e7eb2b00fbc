-- Functions of several parameters can be applied to fewer.
-- ==
-- input { 2 3 4 } output { 10 10 24 }
-- input { 0 0 0 } output { 0 0 0 }

def f (a: i32) (b: i32) (c: i32) = a * b + c
def main (x: i32) (y: i32) (z: i32): (i32, i32, i32) =
  let g = f x
  let h = g y
  in (h z, g y z, (\a -> \b -> \c -> a * b * c) x y z)
