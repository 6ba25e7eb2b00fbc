-- expect: loop-aliases
entry main [n] (xs: *[n]i64) (fallback: *[n]i64) : [n]i64 =
  loop (ys: *[n]i64) = xs for i < n do
    if ys[i] > 10 then fallback else ys with [i] = i
