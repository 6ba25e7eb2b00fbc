-- expect: refutable-pattern
-- A number as a pattern.
def scale (xs: []f64): []f64 =
  let (1, factor) = (length xs, 2f64)
  in map (* factor) xs
