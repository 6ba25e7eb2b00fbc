-- expect: size-not-integer
-- A size that is no integer.
def zeros (n: f64): [n]f64 = replicate (i64.f64 n) 0
