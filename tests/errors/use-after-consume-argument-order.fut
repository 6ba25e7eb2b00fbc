-- expect: use-after-consume
def put (at: i64) (xs: *[]i64) : *[]i64 = xs with [at] = 0

entry main (xs: *[]i64) : []i64 = put xs[0] xs
