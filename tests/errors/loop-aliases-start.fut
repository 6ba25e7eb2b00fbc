-- expect: loop-aliases
entry main [n] (xs: *[n]i64) : [n]i64 =
  let (old, _) =
    loop (old, new) = (xs, xs) for i < n do
      (old, new with [i] = old[i])
  in old
