-- A match within a case of another one, in parentheses.
-- ==
-- input { 0 0 } output { 0 }
-- input { 0 1 } output { 1 }
-- input { 1 0 } output { 10 }
-- input { 1 1 } output { 11 }

def main (x: i32) (y: i32): i32 =
  match x
  case 0 -> (match y
             case 0 -> 0
             case _ -> 1)
  case _ ->
    match y
    case 0 -> 10
    case _ -> 11
