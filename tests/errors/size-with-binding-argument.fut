-- expect: size-with-binding
-- The size is computed with a name of its own.
def main (n: i64) = iota (let m = n + 1 in m * m)
