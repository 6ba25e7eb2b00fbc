-- expect: use-after-consume
-- The old array is gone after an update in place.
entry main [n] (xs: *[n]i64) : ([n]i64, i64) =
  let ys = xs with [0] = 1
  in (ys, xs[0])
