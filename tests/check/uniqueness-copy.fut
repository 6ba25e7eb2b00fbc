-- expect: none
entry main [n] (xs: [n]i64): ([n]i64, [n]i64) =
  let ys = copy xs
  let ys[0] = 1
  in (xs, ys)
