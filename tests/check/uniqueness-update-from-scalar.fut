-- expect: none
-- Numbers share no memory.
entry main [n] (xs: *[n]i64): [n]i64 =
  let xs[0] = xs[1] + xs[2]
  let xs[xs[0] % n] = xs[3]
  in xs
