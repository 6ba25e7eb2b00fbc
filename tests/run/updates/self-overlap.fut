-- A slice is updated with a copy of an overlapping slice of the same array.
-- ==
-- input { [1, 2, 3, 4, 5] } output { [1, 1, 2, 3, 4] }
-- input { [7] } output { [7] }

def main [n] (xs: *[n]i32): [n]i32 =
  let front = copy xs[0:n - 1]
  in xs with [1:n] = (front :> [n - 1]i32)
