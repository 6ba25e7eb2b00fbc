-- The last element of a scan, and a map over it.
-- ==
-- input { [1, 2, 3, 4] } output { 10 [0.1, 0.3, 0.6, 1.0] }
-- input { [5] } output { 5 [1.0] }
-- input { empty([0]i32) } error: out of bounds

def main [n] (xs: [n]i32): (i32, [n]f64) =
  let sums = scan (+) 0 xs
  let total = sums[n - 1]
  in (total, map (\s -> f64.i32 s / f64.i32 total) sums)
