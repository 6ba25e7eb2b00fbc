-- target: c
-- A sum of floats in all lanes.
def main (xs: []f64): f64 = f64.sum xs
