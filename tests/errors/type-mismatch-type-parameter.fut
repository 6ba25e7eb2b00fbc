-- expect: type-mismatch
-- The type parameter promises any type.
def first_or_zero 't (xs: []t): t =
  if length xs > 0 then xs[0] else 0i64
