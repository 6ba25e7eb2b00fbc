-- expect: argument-mismatch
-- An integer times a floating-point number.
def scale [n] (xs: [n]f64): []f64 = map (/ n) xs
