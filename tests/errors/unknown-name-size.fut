-- expect: unknown-name
-- The size of the parameter is not bound.
def total (xs: [n]f64): f64 = f64.sum xs
