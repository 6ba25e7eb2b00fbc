-- expect: lifted-type
-- The rows of the type may have any length.
type matrix = [][]f64

def main (m: matrix): i64 = length m
