-- expect: none
def put [n] (xs: *[n]i64) (at: i64): *[n]i64 = xs with [at] = 0

entry main (n: i64): [n]i64 =
  let clear = put (iota n)
  in clear 0
