-- expect: unknown-type, unknown-type
-- Types of arrays and lists.
def a (xs: list f64) = xs

def b (xs: Vec f64) = xs
