-- expect: argument-mismatch
-- The operator of a reduction takes two arguments.
def main (xs: []i64): i64 = reduce (\x -> x + 1) 0 xs
