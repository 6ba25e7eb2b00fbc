-- expect: unknown-name
-- The module has no such function.
def main (x: f64): f64 = f64.square x
