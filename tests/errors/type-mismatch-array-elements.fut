-- expect: type-mismatch
-- The elements of an array have different types.
def main (x: i64): []f64 = [1.5, x]
