-- map to tuples and records, taken apart again.
-- ==
-- input { [1, 2, 3] } output { [1, 4, 9] [false, true, false] [0.5, 1.0, 1.5] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]bool) empty([0]f64) }

def main [n] (xs: [n]i32): ([n]i32, [n]bool, [n]f64) =
  unzip3 (map (\x -> (x * x, x % 2 == 0, f64.i32 x / 2)) xs)
