-- expect: update-aliases
-- The elements may be arrays themselves.
def swap 't [n] (i: i64) (j: i64) (xs: *[n]t) : *[n]t =
  let x = copy xs[i]
  let xs[i] = xs[j]
  let xs[j] = x
  in xs

entry main [n] (xs: *[n]i64) : [n]i64 = swap 0 1 xs
