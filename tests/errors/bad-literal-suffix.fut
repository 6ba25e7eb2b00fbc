-- expect: bad-literal
-- There is no such suffix.
def speed: f64 = 29.9e
