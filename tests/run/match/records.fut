-- Matching on records with literal fields.
-- ==
-- input { 1 true } output { 10 }
-- input { 1 false } output { 1 }
-- input { 3 true } output { 30 }

def main (n: i32) (b: bool): i32 =
  match {n, b}
  case {n = 1, b = true} -> 10
  case {n, b = false} -> n
  case {n, b = _} -> n * 10
