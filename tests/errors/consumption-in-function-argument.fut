-- expect: consumption-in-function
def put [n] (xs: *[n]i64) (at: i64) : *[n]i64 = xs with [at] = 0

entry main [n] (xs: *[n]i64) : [][]i64 = map (put xs) (iota 3)
