-- Histograms and scatters into empty arrays and from empty arrays.
-- ==
-- input { 0i64 [0i64, 1] [5, 6] } output { empty([0]i32) empty([0]i32) }
-- input { 2i64 empty([0]i64) empty([0]i32) } output { [0, 0] [1, 1] }

def main [n] (k: i64) (is: [n]i64) (vs: [n]i32): ([k]i32, [k]i32) =
  (hist (+) 0 k is vs, scatter (replicate k 1) is vs)
