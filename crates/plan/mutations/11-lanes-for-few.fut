-- target: c
-- A sum of few floats.
def main (xs: []f64): f64 = f64.sum xs
