-- expect: type-mismatch
-- A number as a condition.
def main (x: i64): i64 = if x then 1 else 0
