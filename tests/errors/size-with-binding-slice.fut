-- expect: size-with-binding
-- The bound of a slice is computed with a name of its own.
def main [n] (xs: [n]i64) = xs[:let m = n / 2 in m * m]
