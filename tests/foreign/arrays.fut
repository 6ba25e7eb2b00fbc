-- A program for clients that know scalars and arrays only.

entry average (xs: []f64): f64 = reduce (+) 0 xs / f64.i64 (length xs)
entry double (xs: []f64): []f64 = map (* 2) xs
entry turned (xs: [][]i32): [][]i32 = transpose xs
entry swap (a: f64) (b: i64): (i64, f64) = (b, a)
entry at (xs: []f64) (i: i64): f64 = xs[i]
