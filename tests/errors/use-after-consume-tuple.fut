-- expect: use-after-consume
def clear (xs: *[]i64) : *[]i64 = xs with [0] = 0

entry main (xs: *[]i64) : ([]i64, []i64) = (xs, clear xs)
