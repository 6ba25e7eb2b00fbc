-- The remainder of f32, which has the sign of the dividend.
-- ==
-- input {
--   [7.0f32, -7.0, 7.0, -7.0, 5.5, 1.0, 0.0, 1.0, f32.inf, 3.5, f32.nan]
--   [2.0f32, 2.0, -2.0, -2.0, 0.5, 3.0, 3.0, 0.0, 2.0, f32.inf, 1.0]
-- }
-- output { [1.0f32, -1.0, 1.0, -1.0, 0.0, 1.0, 0.0, f32.nan, f32.nan, 3.5, f32.nan] }

def main [n] (xs: [n]f32) (ys: [n]f32): [n]f32 = map2 (%) xs ys
