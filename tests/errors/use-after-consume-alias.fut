-- expect: use-after-consume
-- A slice shares the memory of its array.
entry main [n] (xs: *[n]i64) : i64 =
  let rest = drop 1 xs
  let first = take 1 xs
  let first[0] = 10
  in first[0] + rest[0]
