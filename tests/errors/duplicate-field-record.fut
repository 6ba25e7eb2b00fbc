-- expect: duplicate-field
-- The same field twice.
def origin: {x: f64, y: f64} = {x = 0, y = 0, x = 1}
