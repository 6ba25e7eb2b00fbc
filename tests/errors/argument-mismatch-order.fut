-- expect: argument-mismatch
-- The arguments of `map` in the wrong order.
def main (xs: []i64): []i64 = map xs (\x -> x + 1)
