-- expect: argument-mismatch
-- A pair where two arguments are needed.
def power (x: f64) (n: f64): f64 = x ** n

def main (x: f64): f64 = power (x, 2)
