-- expect: refutable-pattern
-- A parameter that only takes some values.
type maybe = #none | #some i64

def unwrap ((#some x): maybe): i64 = x
