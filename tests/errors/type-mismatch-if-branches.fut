-- expect: type-mismatch
-- The branches have different types.
def describe (x: i64) = if x > 0 then "positive" else x
