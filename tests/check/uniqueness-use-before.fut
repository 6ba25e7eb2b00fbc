-- expect: none
entry main [n] (xs: *[n]i64): ([n]i64, i64) =
  let first = xs[0]
  in (xs with [0] = first + 1, first)
