-- Ascriptions of expressions, patterns, parameters and results.
-- ==
-- input { 3 } output { 6 [3, 3] 3i64 }

def main (x: i32): (i32, [2]i32, i64) =
  let y: i32 = x
  let (z: i32, w: i64) = (y, i64.i32 y)
  let f (a: i32) (b: i32): i32 = a + b
  in ((f y z : i32), ([y, z] : [2]i32), w)
