-- Matching on integer literals, also negative ones, with a default.
-- ==
-- input { 0 } output { 100 }
-- input { 1 } output { 101 }
-- input { -1 } output { 99 }
-- input { 16 } output { 7 }
-- input { 42 } output { 42 }

def main (x: i32): i32 =
  match x
  case 0 -> 100
  case 1 -> 101
  case -1 -> 99
  case 0x10 -> 7
  case y -> y
