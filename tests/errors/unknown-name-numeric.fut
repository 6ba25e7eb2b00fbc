-- expect: unknown-name
-- The function is in a module.
def hypotenuse (a: f64) (b: f64): f64 = sqrt (a * a + b * b)
