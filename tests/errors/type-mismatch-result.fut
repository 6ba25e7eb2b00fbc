-- expect: type-mismatch
-- The average is not an integer.
def average [n] (xs: [n]f64): i64 = f64.sum xs / f64.i64 n
