-- expect: unknown-name
-- A letter is missing.
def average [n] (samples: [n]f64): f64 =
  f64.sum smples / f64.i64 n
