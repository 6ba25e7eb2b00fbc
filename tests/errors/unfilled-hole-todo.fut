-- expect: unfilled-hole
-- Not done yet.
def variance [n] (xs: [n]f64): f64 =
  let mean = f64.sum xs / f64.i64 n
  in f64.sum (map (\x -> ??? x mean) xs)
