-- expect: use-after-consume
-- Without `*` the parts of a result may be the same array.
def halves (n: i64) : ([n]i64, [n]i64) = (iota n, replicate n 1)

entry main (n: i64) : ([n]i64, [n]i64) =
  let (left, right) = halves n
  let left[0] = 5
  in (left, right)
