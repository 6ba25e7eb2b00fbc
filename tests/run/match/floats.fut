-- Matching on floating-point literals.
-- ==
-- input { 0.5 } output { 1 }
-- input { -2.0 } output { 2 }
-- input { 0.0 } output { 3 }
-- input { f64.nan } output { 4 }

def main (x: f64): i32 =
  match x
  case 0.5 -> 1
  case -2.0 -> 2
  case 0.0 -> 3
  case _ -> 4
