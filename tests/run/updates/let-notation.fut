-- The notation let a[i] = v, several times and reading what was written.
-- ==
-- input { [1, 2, 3] } output { [10, 11, 22] }
-- input { [0, 0] } error: out of bounds

def main (xs: *[]i32): []i32 =
  let xs[0] = 10
  let xs[1] = xs[0] + 1
  let xs[2] = xs[1] * 2
  in xs
