-- expect: none
def sum_and_clear (xs: *[]i64): (i64, []i64) = (i64.sum xs, xs with [0] = 0)

entry main (xs: *[]i64): (i64, []i64) = sum_and_clear xs
