-- The first case that matches counts, also if the one behind it, which is the last, would match anything.
-- ==
-- tags { no_peer }
-- entry: tuple
-- input { 3 4 } output { 1 }

-- ==
-- entry: variable
-- input { 9 } output { 9 }

-- ==
-- entry: after_a_number
-- input { 1 } output { 5 }
-- input { 7 } output { 1 }

entry tuple (x: i32) (y: i32): i32 =
  match (x, y)
  case _ -> 1
  case _ -> 2

entry variable (x: i32): i32 =
  match x
  case y -> y
  case _ -> 2

entry after_a_number (x: i32): i32 =
  match x
  case 1 -> 5
  case _ -> 1
  case _ -> 2
