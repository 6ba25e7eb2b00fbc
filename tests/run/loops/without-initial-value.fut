-- A loop without initial values takes them from the variables of the same names.
-- ==
-- input { 3 4 } output { 3 -4 }
-- input { 0 1 } output { 0 -1 }

def main (a: i32) (b: i32): (i32, i32) =
  let (a, b) = loop (a, b) for _i < 3i32 do (a + b, -a)
  in (loop a while a < 0 do -a, b)
