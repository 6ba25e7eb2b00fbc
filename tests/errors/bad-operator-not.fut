-- expect: bad-operator
-- `!` between two operands.
def differ (x: i64) (y: i64): bool = x ! y
