-- expect: type-mismatch
-- A component is missing.
def corner (x: f64) (y: f64): (f64, f64, f64) = (x, y)
