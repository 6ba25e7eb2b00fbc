-- A value of a sum type that goes through a script.
-- ==
-- entry: get
-- script input { make 3i32 } output { 3 }
-- script input { make (-1i32) } output { 0 }

type t = #some i32 | #none
entry make (x: i32): t = if x >= 0 then #some x else #none
entry get (s: t): i32 =
  match s
  case #some x -> x
  case #none -> 0
