-- Matching on booleans and characters is exhaustive without a default where all are named.
-- ==
-- input { true 97u8 } output { 1 1 }
-- input { false 98u8 } output { 0 2 }
-- input { false 0u8 } output { 0 3 }

def main (b: bool) (c: u8): (i32, i32) =
  ( match b
    case true -> 1
    case false -> 0
  , match c
    case 'a' -> 1
    case 'b' -> 2
    case _ -> 3
  )
