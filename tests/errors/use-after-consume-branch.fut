-- expect: use-after-consume
-- It is enough that one branch consumes.
def clear (xs: *[]i64) : *[]i64 = xs with [0] = 0

entry main (xs: *[]i64) : i64 =
  let first = if xs[0] > 0 then (clear xs)[0] else 1
  in first + xs[1]
