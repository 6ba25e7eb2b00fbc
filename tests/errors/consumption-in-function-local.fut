-- expect: consumption-in-function
entry main (xs: *[]i64) : i64 =
  let count (x: i64) : i64 =
    let xs[0] = x
    in xs[0]
  in count 1 + count 2
