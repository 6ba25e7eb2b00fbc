-- expect: not-consumable
entry main [n] (rows: *[n][3]i64) : i64 =
  loop sum = 0 for row in rows do
    let row[0] = 1
    in sum + row[0] + row[1]
