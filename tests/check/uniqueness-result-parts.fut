-- expect: none
-- Only the part that is not new shares memory with the argument.
def with_backup [n] (xs: [n]i64) = {new = map (+ 1) xs, old = xs}

entry main [n] (xs: [n]i64): ([n]i64, [n]i64) =
  let {new, old} = with_backup xs
  let new[0] = 5
  in (new, old)
