-- The arithmetic operators of f32, with infinities and NaN.
-- ==
-- input {
--   [1.0f32, 0.5, -1.5, 0.0, 1.0e+03, f32.inf, f32.inf, f32.inf, f32.nan, 1.0, -1.0, 0.0, 3.0, 2048.0]
--   [2.0f32, 0.25, 2.0, -3.0, 0.01, 1.0, f32.inf, -f32.inf, 1.0, 0.0, 0.0, 0.0, 7.0, 1.0]
-- }
-- output {
--   [3.0f32, 0.75, 0.5, -3.0, 1000.01, f32.inf, f32.inf, f32.nan, f32.nan, 1.0, -1.0, 0.0, 1.0e+01, 2049.0]
--   [-1.0f32, 0.25, -3.5, 3.0, 999.99, f32.inf, f32.nan, f32.inf, f32.nan, 1.0, -1.0, 0.0, -4.0, 2047.0]
--   [2.0f32, 0.125, -3.0, -0.0, 1.0e+01, f32.inf, f32.inf, -f32.inf, f32.nan, 0.0, -0.0, 0.0, 21.0, 2048.0]
--   [0.5f32, 2.0, -0.75, -0.0, 1.0e+05, f32.inf, f32.nan, f32.nan, f32.nan, f32.inf, -f32.inf, f32.nan, 0.42857143,
--     2048.0]
--   [-1.0f32, -0.5, 1.5, -0.0, -1.0e+03, -f32.inf, -f32.inf, -f32.inf, f32.nan, -1.0, 1.0, -0.0, -3.0, -2048.0]
-- }
-- input { empty([0]f32) empty([0]f32) }
-- output { empty([0]f32) empty([0]f32) empty([0]f32) empty([0]f32) empty([0]f32) }

def main [n] (xs: [n]f32) (ys: [n]f32)
         : ([n]f32, [n]f32, [n]f32, [n]f32, [n]f32) =
  (map2 (+) xs ys, map2 (-) xs ys, map2 (*) xs ys, map2 (/) xs ys,
   map (\x -> -x) xs)
