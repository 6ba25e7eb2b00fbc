-- expect: non-exhaustive-match
-- One of the shapes is forgotten.
type shape = #circle f64 | #square f64 | #rectangle f64 f64

def area (s: shape): f64 =
  match s
  case #circle r -> f64.pi * r * r
  case #rectangle w h -> w * h
