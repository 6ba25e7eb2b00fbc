-- Entry points that consume their arguments.
-- ==
-- input { [1, 2, 3] [4, 5] } output { [0, 2, 3] [4, 0] }
-- input { empty([0]i32) [4, 5] } error: out of bounds

def main [n] [m] (xs: *[n]i32) (ys: *[m]i32): (*[n]i32, *[m]i32) =
  (xs with [0] = 0, ys with [1] = 0)
