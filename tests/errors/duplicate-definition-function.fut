-- expect: duplicate-definition
-- Two functions of the same name.
def area (r: f64): f64 = f64.pi * r * r
def area (w: f64) (h: f64): f64 = w * h
