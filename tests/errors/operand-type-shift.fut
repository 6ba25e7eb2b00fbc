-- expect: operand-type
-- Shifts are for integers.
def halve (x: f64): f64 = x >> 1
