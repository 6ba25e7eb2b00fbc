-- expect: size-unknown-function
-- Every row has another length.
def triangle (n: i64): [][]i64 = map (\i -> iota i) (iota n)
