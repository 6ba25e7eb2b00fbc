-- Constructors take their whole payload; a constructor as payload needs no parentheses if it has none itself.
-- ==
-- input { 1 } output { 1 }
-- input { 0 } output { 2 }

type t = #wrap (#a | #b) | #none
def main (x: i32): i32 =
  let v: t = if x == 1 then #wrap #a else #wrap #b
  in match v
     case #wrap #a -> 1
     case #wrap #b -> 2
     case #none -> 3
