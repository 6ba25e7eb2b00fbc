-- expect: none
-- The parameter needs no `*`: the body consumes it.
entry main [n] (xs: *[n]i64): ([n]i64, i64) =
  loop (ys, sum) = (xs, 0) for i < n do
    let sum = sum + ys[i]
    in (ys with [i] = sum, sum)
