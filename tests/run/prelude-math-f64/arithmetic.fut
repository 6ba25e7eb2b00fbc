-- The arithmetic operators of f64, with infinities and NaN.
-- ==
-- input {
--   [1.0, 0.5, -1.5, 0.0, 1.0e+03, f64.inf, f64.inf, f64.inf, f64.nan, 1.0, -1.0, 0.0, 3.0, 2048.0]
--   [2.0, 0.25, 2.0, -3.0, 0.01, 1.0, f64.inf, -f64.inf, 1.0, 0.0, 0.0, 0.0, 7.0, 1.0]
-- }
-- output {
--   [3.0, 0.75, 0.5, -3.0, 1000.01, f64.inf, f64.inf, f64.nan, f64.nan, 1.0, -1.0, 0.0, 1.0e+01, 2049.0]
--   [-1.0, 0.25, -3.5, 3.0, 999.99, f64.inf, f64.nan, f64.inf, f64.nan, 1.0, -1.0, 0.0, -4.0, 2047.0]
--   [2.0, 0.125, -3.0, -0.0, 1.0e+01, f64.inf, f64.inf, -f64.inf, f64.nan, 0.0, -0.0, 0.0, 21.0, 2048.0]
--   [0.5, 2.0, -0.75, -0.0, 1.0e+05, f64.inf, f64.nan, f64.nan, f64.nan, f64.inf, -f64.inf, f64.nan,
--     0.42857142857142855, 2048.0]
--   [-1.0, -0.5, 1.5, -0.0, -1.0e+03, -f64.inf, -f64.inf, -f64.inf, f64.nan, -1.0, 1.0, -0.0, -3.0, -2048.0]
-- }
-- input { empty([0]f64) empty([0]f64) }
-- output { empty([0]f64) empty([0]f64) empty([0]f64) empty([0]f64) empty([0]f64) }

def main [n] (xs: [n]f64) (ys: [n]f64)
         : ([n]f64, [n]f64, [n]f64, [n]f64, [n]f64) =
  (map2 (+) xs ys, map2 (-) xs ys, map2 (*) xs ys, map2 (/) xs ys,
   map (\x -> -x) xs)
