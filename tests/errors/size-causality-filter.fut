-- expect: size-causality
-- The size of the filtered array is not known where the function is made.
def main (xs: []i64): i64 =
  let add = \ys -> map2 (+) ys (filter (> 0) xs)
  in length (add (filter (> 1) xs))
