-- expect: update-aliases
entry main [n] (xs: *[n]i64) : [n]i64 =
  let tail = xs[1:3]
  in xs with [0:2] = tail
