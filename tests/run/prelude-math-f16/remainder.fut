-- The remainder of f16, which has the sign of the dividend.
-- ==
-- input {
--   [7.0f16, -7.0, 7.0, -7.0, 5.5, 1.0, 0.0, 1.0, f16.inf, 3.5, f16.nan]
--   [2.0f16, 2.0, -2.0, -2.0, 0.5, 3.0, 3.0, 0.0, 2.0, f16.inf, 1.0]
-- }
-- output { [1.0f16, -1.0, 1.0, -1.0, 0.0, 1.0, 0.0, f16.nan, f16.nan, 3.5, f16.nan] }

def main [n] (xs: [n]f16) (ys: [n]f16): [n]f16 = map2 (%) xs ys
