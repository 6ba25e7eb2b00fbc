-- Update of every second element, and of a slice with negative stride.
-- ==
-- input { [0, 0, 0, 0, 0, 0] [1, 2, 3] } output { [1, 3, 2, 2, 3, 1] }

def main (xs: *[6]i32) (ys: [3]i32): [6]i32 =
  let xs[::2] = ys
  in xs with [5::-2] = ys
