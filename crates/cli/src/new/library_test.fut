-- | Tests and benchmarks of the library.

import "{name}"

-- The first data set is a test; the second is for `kenaz bench` and too large for the interpreter.

-- ==
-- entry: both
-- input { [2f64, 4f64, 4f64, 4f64, 5f64, 5f64, 7f64, 9f64] }
-- output { 5f64 2f64 }
-- "a million numbers" compiled random input { [1000000]f64 }

entry both [n] (xs: [n]f64): (f64, f64) = (mean xs, deviation xs)
