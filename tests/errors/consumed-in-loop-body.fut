-- expect: consumed-in-loop
entry main [n] (xs: *[n]i64) (ys: *[n]i64) : [n]i64 =
  loop xs for i < n do
    let ys[i] = xs[i]
    in xs with [i] = ys[0]
