-- expect: unknown-type
-- Types cannot be recursive.
type list = #nil | #cons i64 list
