-- expect: argument-mismatch
-- A decimal literal as an integer.
def main (x: i64): i64 = x + 0.5
