-- expect: operand-type
-- An index that is no integer.
def middle [n] (xs: [n]f64): f64 = xs[f64.i64 n / 2]
