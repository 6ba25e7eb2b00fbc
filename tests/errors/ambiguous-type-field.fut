-- expect: ambiguous-type
-- Nothing says what kind of record this is.
def norm p = f64.sqrt (p.x * p.x + p.y * p.y)
