-- expect: use-after-consume
-- A function needs the variables that it refers to.
entry main (table: *[]i64) : i64 =
  let lookup (i: i64) = table[i]
  let table[0] = 9
  in lookup table[1]
