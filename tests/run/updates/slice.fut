-- Update of a slice, also reversed, and with an array of the wrong size.
-- ==
-- input { [0, 0, 0, 0, 0] [1, 2] 1i64 3i64 } output { [0, 1, 2, 0, 0] }
-- input { [0, 0, 0, 0, 0] empty([0]i32) 2i64 2i64 } output { [0, 0, 0, 0, 0] }
-- input { [0, 0, 0, 0, 0] [1, 2] 1i64 4i64 } error: .
-- input { [0, 0, 0, 0, 0] [1, 2] 4i64 6i64 } error: out of bounds

def main [n] [m] (xs: *[n]i32) (ys: [m]i32) (i: i64) (j: i64): [n]i32 =
  xs with [i:j] = (ys :> [j - i]i32)
