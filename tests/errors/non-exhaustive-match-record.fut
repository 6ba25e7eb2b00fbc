-- expect: non-exhaustive-match
-- Three of four possibilities.
def both (p: {left: bool, right: bool}): i64 =
  match p
  case {left = true, right = true} -> 2
  case {left = false, right = _} -> 0
