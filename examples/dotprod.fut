-- | The dot product of two vectors. Both have the size `n`, so the
-- caller must know that they are equally long.
def dotprod [n] (xs: [n]f64) (ys: [n]f64): f64 =
  reduce (+) 0 (map2 (*) xs ys)

entry main [n] (xs: [n]f64) (ys: [n]f64): f64 =
  dotprod xs ys
