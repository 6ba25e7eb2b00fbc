-- expect: duplicate-binding
-- Two parameters of the same name.
def distance (x: f64) (x: f64): f64 = f64.abs (x - x)
