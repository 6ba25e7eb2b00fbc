-- expect: not-consumable
-- Nobody knows what a function parameter returns.
def change (make: i64 -> [3]i64) : [3]i64 =
  make 2 with [0] = 1

entry main (x: i64) : [3]i64 = change (\i -> [i, i, x])
