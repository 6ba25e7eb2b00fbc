-- A zip of arrays of unequal size by way of a coercion.
-- ==
-- input { [1, 2] [3, 4] } output { [4, 6] }
-- input { [1, 2] [3] } error: cannot match shape

def main [n] [m] (xs: [n]i32) (ys: [m]i32): [n]i32 =
  map (\(x, y) -> x + y) (zip xs (ys :> [n]i32))
