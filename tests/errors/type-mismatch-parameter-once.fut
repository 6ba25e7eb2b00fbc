-- expect: type-mismatch
-- The annotation is wrong, so the result is as well.
def same 't (x: t): t =
  let y: i64 = x
  in y
