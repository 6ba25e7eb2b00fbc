-- expect: result-aliases
entry main (n: i64) : (*[n]i64, *[n]i64) =
  let xs = iota n
  in (xs, xs)
