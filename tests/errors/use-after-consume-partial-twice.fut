-- expect: use-after-consume
def put (xs: *[]i64) (at: i64) : *[]i64 = xs with [at] = 0

entry main (n: i64) : ([]i64, []i64) =
  let clear = put (iota n)
  in (clear 0, clear 1)
