-- expect: unexpected-token
-- A comparison with a single `=`.
def is_zero (x: i64): bool = x = 0
