-- target: c
-- An array that is a nest of dimensions.
def main (xss: [][]i64): i64 = i64.sum (flatten (transpose xss))
