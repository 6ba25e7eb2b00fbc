-- expect: unexpected-token
-- An anonymous function without its arrow.
def squares (xs: []i64): []i64 = map (\x x * x) xs
