-- expect: non-exhaustive-match
-- Both may be missing.
type maybe = #none | #some i64

def add (a: maybe) (b: maybe): maybe =
  match (a, b)
  case (#some x, #some y) -> #some (x + y)
  case (#none, _) -> #none
