-- Slices of slices, and a slice of a transposed matrix.
-- ==
-- input { [0, 1, 2, 3, 4, 5, 6, 7] } output { [5, 3] [0, 4] [[0, 2, 4, 6], [1, 3, 5, 7]] }

def main (xs: [8]i32): ([]i32, []i32, [][]i32) =
  let a = xs[1::2]
  let m = transpose (unflatten (xs :> [4 * 2]i32))
  in ((a[::-1])[1:3], (m[0, :])[::2], m[:, :])
