-- expect: none
-- The results of `fresh` and `both` are new, although nobody says so.
def fresh (n: i64) = map (* 2) (iota n)
def both (n: i64) = (iota n, replicate n 1i64)
def own (xs: *[]i64) = xs

entry main (n: i64): ([n]i64, [n]i64, [n]i64, []i64) =
  let (a, b) = both n
  let c = fresh n
  let a[0] = b[0]
  let d = own (iota n)
  in (a, b with [0] = 2, c with [0] = 3, d with [0] = 4)
