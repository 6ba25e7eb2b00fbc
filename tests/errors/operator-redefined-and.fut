-- expect: operator-redefined
-- This operator does not evaluate its right operand.
def (&&) (x: i64) (y: i64): i64 = x & y
