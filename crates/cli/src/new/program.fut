-- | Statistics of numbers.

-- | The mean of some numbers.
--
-- ```
-- > mean [1, 2, 3, 6]
-- 3f64
-- ```
def mean [n] (xs: [n]f64): f64 = f64.sum xs / f64.i64 n

-- | The standard deviation: how far numbers are from their mean.
--
-- ```
-- > deviation [2, 4, 4, 4, 5, 5, 7, 9]
-- 2f64
-- ```
def deviation [n] (xs: [n]f64): f64 =
  let m = mean xs
  in f64.sqrt (mean (map (\x -> (x - m) ** 2) xs))

-- The first data set is a test; the second is for `kenaz bench` and too large for the interpreter.

-- ==
-- entry: main
-- input { [2f64, 4f64, 4f64, 4f64, 5f64, 5f64, 7f64, 9f64] }
-- output { 5f64 2f64 }
-- "a million numbers" compiled random input { [1000000]f64 }

entry main [n] (xs: [n]f64): (f64, f64) = (mean xs, deviation xs)
