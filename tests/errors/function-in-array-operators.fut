-- expect: function-in-array
-- Functions in an array.
def operators = [\(x: i64) -> x + 1, \x -> x * 2]
