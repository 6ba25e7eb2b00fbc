-- expect: non-exhaustive-match
-- There are other characters.
def value (c: u8): i64 =
  match c
  case 'x' -> 10
  case 'v' -> 5
