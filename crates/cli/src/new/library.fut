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
