-- expect: unused-name, unused-name
-- Names in patterns.
def weight (s: #circle f64 | #box {w: f64, h: f64}): f64 =
  match s
  case #circle r -> 1
  case #box {w, h} -> w
