-- expect: not-a-function
-- The index of an array in parentheses.
def main (xs: []i64): i64 = xs (0)
