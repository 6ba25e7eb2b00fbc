-- expect: lifted-type
-- A type that contains a function.
type handler = {name: i64, run: i64 -> i64}
