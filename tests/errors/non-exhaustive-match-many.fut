-- expect: non-exhaustive-match
-- Most of the days are forgotten.
type day = #mon | #tue | #wed | #thu | #fri | #sat | #sun

def free (d: day): bool =
  match d
  case #sat -> true
  case #sun -> true
