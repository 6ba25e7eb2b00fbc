-- The remainder of f64, which has the sign of the dividend.
-- ==
-- input {
--   [7.0, -7.0, 7.0, -7.0, 5.5, 1.0, 0.0, 1.0, f64.inf, 3.5, f64.nan]
--   [2.0, 2.0, -2.0, -2.0, 0.5, 3.0, 3.0, 0.0, 2.0, f64.inf, 1.0]
-- }
-- output { [1.0, -1.0, 1.0, -1.0, 0.0, 1.0, 0.0, f64.nan, f64.nan, 3.5, f64.nan] }

def main [n] (xs: [n]f64) (ys: [n]f64): [n]f64 = map2 (%) xs ys
