-- expect: inaccessible-size
-- The size is part of a tuple.
def take_first (n: i64, xs: [n]f64): f64 = xs[n - 1]
