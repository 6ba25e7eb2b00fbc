-- Arrays of floating-point numbers and booleans.
-- ==
-- input { 3i64 } output { [0f16, 1, 2] [0f32, 1, 2] [0.0, 1, 2] [false, true, true] }
-- input { 0i64 } output { empty([0]f16) empty([0]f32) empty([0]f64) empty([0]bool) }

def main (n: i64) =
  let is = iota n
  in (map f16.i64 is, map f32.i64 is, map f64.i64 is, map bool.i64 is)
