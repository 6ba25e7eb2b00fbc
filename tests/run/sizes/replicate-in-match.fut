-- A size that goes out of scope at the end of a match.
-- ==
-- input { 2i64 } output { [0, 0] }
-- input { -1i64 } output { empty([0]i32) }

def main (n: i64): []i32 =
  let x: #some i64 | #none = if n >= 0 then #some n else #none
  in match x
     case #some k -> replicate k 0
     case #none -> []
