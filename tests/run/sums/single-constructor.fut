-- A sum with one constructor needs one case.
-- ==
-- input { 3 4 } output { 7 3 }
-- input { 0 0 } output { 0 0 }

type meters = #meters i32
def add (a: meters) (b: meters): meters =
  match (a, b)
  case (#meters x, #meters y) -> #meters (x + y)
def main (x: i32) (y: i32): (i32, i32) =
  let z =
    match add (#meters x) (#meters y)
    case #meters z -> z
  in (z, x)
