-- expect: argument-mismatch
-- Single and double precision.
def main (xs: []f32): f64 = f64.sum xs
