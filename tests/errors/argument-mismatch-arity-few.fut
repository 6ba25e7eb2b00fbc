-- expect: argument-mismatch
-- The function takes one argument, not two.
def main (xs: []i64) (ys: []i64): []i64 = map2 (\x -> x) xs ys
