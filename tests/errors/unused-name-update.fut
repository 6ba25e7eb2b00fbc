-- expect: unused-name
-- The updated array is not used.
def main (xs: *[]i64): i64 =
  let n = length xs
  let xs[0] = 1
  in n
