-- expect: none
entry main [n] (xs: *[n]i64): [n]i64 =
  loop xs for i < n do
    loop xs for j < i do
      if xs[j] > xs[i] then
        let x = xs[j]
        let xs[j] = xs[i]
        in xs with [i] = x
      else xs
