-- expect: none
entry main (n: i64): ([n]i64, [n]i64) =
  loop (a: *[n]i64, b: *[n]i64) = (iota n, replicate n 0) for i < n do
    let b[i] = a[i]
    in (b, a)
