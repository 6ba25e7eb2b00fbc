-- expect: underscore-use
-- The name says that it is not used.
def scale (_factor: f64) (xs: []f64): []f64 = map (* _factor) xs
