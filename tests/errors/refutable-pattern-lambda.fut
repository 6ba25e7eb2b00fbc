-- expect: refutable-pattern
-- A function that only takes some values.
type maybe = #none | #some i64

def unwrap (xs: []maybe): []i64 = map (\(#some x) -> x) xs
