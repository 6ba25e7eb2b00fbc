-- expect: none
entry main [n] (flag: bool) (xs: *[n]i64): [n]i64 =
  let ys = if flag then xs with [0] = 1 else xs
  in ys with [1] = 2
