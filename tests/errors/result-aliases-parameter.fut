-- expect: result-aliases
def pick [n] (flag: bool) (xs: [n]i64) (ys: *[n]i64) : *[n]i64 =
  if flag then xs else ys

entry main [n] (xs: [n]i64) : [n]i64 = pick true xs (copy xs)
