-- expect: not-consumable
-- The result of `id` is its argument.
entry main (xs: []i64) : []i64 =
  let ys = id xs
  let ys[0] = 1
  in ys
