-- Fields named by numbers, in records that are not tuples.
-- ==
-- input { 4 } output { 4 5 9 }

def main (x: i32): (i32, i32, i32) =
  let r = {1 = x, 7 = x + 1}
  in (r.1, r.7, r.1 + r.7)
