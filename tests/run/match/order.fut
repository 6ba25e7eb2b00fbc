-- Overlapping cases: the first one wins.
-- ==
-- input { 0 } output { 1 }
-- input { 1 } output { 2 }
-- input { 2 } output { 3 }

def main (x: i32): i32 =
  match (x, x > 0)
  case (0, _) -> 1
  case (1, true) -> 2
  case (_, true) -> 3
  case (1, _) -> 4
  case (_, false) -> 5
