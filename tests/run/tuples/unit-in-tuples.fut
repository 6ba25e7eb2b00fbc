-- Unit values inside tuples and arrays of units.
-- ==
-- input { 3i64 } output { 3i64 5 }
-- input { 0i64 } output { 0i64 5 }
-- input { 1i64 } output { 1i64 5 }

def main (n: i64): (i64, i32) =
  let us = replicate n ()
  let ((), x) = ((), 5)
  in (length us, x)
