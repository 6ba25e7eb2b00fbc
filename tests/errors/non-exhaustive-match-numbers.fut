-- expect: non-exhaustive-match
-- There are more numbers than these.
def days (month: i64): i64 =
  match month
  case 1 -> 31
  case 2 -> 28
  case 3 -> 31
