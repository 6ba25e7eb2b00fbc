-- expect: consumption-in-function
def put (xs: *[]i64) (at: i64) : *[]i64 = xs with [at] = 0

entry main (xs: *[]i64) : []i64 =
  let clear = put xs
  in clear 0
