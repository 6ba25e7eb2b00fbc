-- expect: type-mismatch
-- An argument is missing, so the result is a function.
def clamp (lo: f64) (hi: f64) (x: f64): f64 = f64.max lo (f64.min hi x)

def main (x: f64): f64 = clamp 0 x
