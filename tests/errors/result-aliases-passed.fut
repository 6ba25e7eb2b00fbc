-- expect: result-aliases
-- The lambda promises new memory but returns `xs`; `change` relies on the promise.
def change (make: () -> *[2]i64) : *[2]i64 = make () with [0] = 1

entry main (xs: [2]i64) : [2]i64 = change (\() : *[2]i64 -> xs)
