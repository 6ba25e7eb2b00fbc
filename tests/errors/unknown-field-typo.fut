-- expect: unknown-field
-- The field has another name.
type point = {x: f64, y: f64}

def height (p: point): f64 = p.hight
