-- Irrefutable patterns with the only constructor of a sum, at which the peer crashes.
-- ==
-- tags { no_peer }
-- input { 3 4 } output { 7 }

type meters = #meters i32
def add ((#meters x): meters) ((#meters y): meters): meters = #meters (x + y)
def main (x: i32) (y: i32): i32 =
  let #meters z = add (#meters x) (#meters y)
  in z
