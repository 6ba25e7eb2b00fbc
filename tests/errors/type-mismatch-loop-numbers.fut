-- expect: type-mismatch
-- The body of a loop returns less than its parameter.
def fibonacci (n: i64): i64 =
  let (a, _b) = loop (a, b) = (0, 1) for _i < n do a + b
  in a
