-- The arithmetic operators of f16, with infinities and NaN.
-- ==
-- input {
--   [1.0f16, 0.5, -1.5, 0.0, 1.0e+03, f16.inf, f16.inf, f16.inf, f16.nan, 1.0, -1.0, 0.0, 3.0, 2048.0]
--   [2.0f16, 0.25, 2.0, -3.0, 0.01, 1.0, f16.inf, -f16.inf, 1.0, 0.0, 0.0, 0.0, 7.0, 1.0]
-- }
-- output {
--   [3.0f16, 0.75, 0.5, -3.0, 1.0e+03, f16.inf, f16.inf, f16.nan, f16.nan, 1.0, -1.0, 0.0, 1.0e+01, 2048.0]
--   [-1.0f16, 0.25, -3.5, 3.0, 1.0e+03, f16.inf, f16.nan, f16.inf, f16.nan, 1.0, -1.0, 0.0, -4.0, 2047.0]
--   [2.0f16, 0.125, -3.0, -0.0, 1.0e+01, f16.inf, f16.inf, -f16.inf, f16.nan, 0.0, -0.0, 0.0, 21.0, 2048.0]
--   [0.5f16, 2.0, -0.75, -0.0, f16.inf, f16.inf, f16.nan, f16.nan, f16.nan, f16.inf, -f16.inf, f16.nan, 0.4285, 2048.0]
--   [-1.0f16, -0.5, 1.5, -0.0, -1.0e+03, -f16.inf, -f16.inf, -f16.inf, f16.nan, -1.0, 1.0, -0.0, -3.0, -2048.0]
-- }
-- input { empty([0]f16) empty([0]f16) }
-- output { empty([0]f16) empty([0]f16) empty([0]f16) empty([0]f16) empty([0]f16) }

def main [n] (xs: [n]f16) (ys: [n]f16)
         : ([n]f16, [n]f16, [n]f16, [n]f16, [n]f16) =
  (map2 (+) xs ys, map2 (-) xs ys, map2 (*) xs ys, map2 (/) xs ys,
   map (\x -> -x) xs)
