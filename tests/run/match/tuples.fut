-- Matching on tuples, where the first case that fits is taken.
-- ==
-- input { 0 0 } output { 0 }
-- input { 0 5 } output { 5 }
-- input { 5 0 } output { -5 }
-- input { 5 6 } output { 30 }

def main (x: i32) (y: i32): i32 =
  match (x, y)
  case (0, 0) -> 0
  case (0, b) -> b
  case (a, 0) -> -a
  case (a, b) -> a * b
