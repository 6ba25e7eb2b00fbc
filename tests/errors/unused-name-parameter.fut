-- expect: unused-name
-- The wrong name is used.
def area (width: f64) (height: f64): f64 = width * width
