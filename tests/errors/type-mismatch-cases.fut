-- expect: type-mismatch
-- One of the cases has another type.
def name (x: #low | #high): i64 =
  match x
  case #low -> 0
  case #high -> true
