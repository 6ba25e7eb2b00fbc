-- expect: not-consumable
entry main [n] (xs: [n]i64) : [n]i64 =
  loop ys = xs for i < n do
    ys with [i] = i
