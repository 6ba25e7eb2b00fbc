-- expect: none
entry main [n] (xs: *[n]i64): [n]i64 =
  (loop (ys, i) = (xs, 0) while i < n && ys[i] != 0 do
     (ys with [i] = 0, i + 1)).0
