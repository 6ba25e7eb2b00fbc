-- expect: not-consumable
def primes : [4]i64 = [2, 3, 5, 7]

entry main (at: i64) : i64 =
  let changed = primes with [at] = 11
  in changed[0]
