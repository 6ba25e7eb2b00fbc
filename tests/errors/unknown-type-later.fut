-- expect: unknown-type
-- A type that is used before it is defined.
def origin: point = {x = 0, y = 0}

type point = {x: f64, y: f64}
