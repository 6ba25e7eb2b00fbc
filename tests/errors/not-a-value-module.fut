-- expect: not-a-value
-- A conversion needs the name of a function in the module.
def widen (x: i32): i64 = i64 x
