-- A sum with one constructor can be taken apart by an irrefutable pattern.
-- ==
-- input { 3 4 } output { 7 3 }
-- input { 0 0 } output { 0 0 }

type meters = #meters i32
def add ((#meters x): meters) ((#meters y): meters): meters = #meters (x + y)
def main (x: i32) (y: i32): (i32, i32) =
  let #meters z = add (#meters x) (#meters y)
  let (#meters w): meters = #meters x
  in (z, w)
