-- Conversions to f16 from the floating-point types and bool.
-- ==
-- input {
--   [0.0f16, 1.5, -2.25, 0.1, 1.0e+03, f16.inf, f16.nan]
--   [0.0f32, 1.5, -2.25, 0.1, 1000.125, f32.inf, f32.nan]
--   [0.0, 1.5, -2.25, 0.1, 1000.125, f64.inf, f64.nan]
--   [false, true]
-- }
-- output {
--   [0.0f16, 1.5, -2.25, 0.1, 1.0e+03, f16.inf, f16.nan]
--   [0.0f16, 1.5, -2.25, 0.1, 1.0e+03, f16.inf, f16.nan]
--   [0.0f16, 1.5, -2.25, 0.1, 1.0e+03, f16.inf, f16.nan]
--   [0.0f16, 1.0]
-- }

def main [n] (xs: [n]f16) (ys: [n]f32) (zs: [n]f64) (bs: []bool) =
  (map f16.f16 xs, map f16.f32 ys, map f16.f64 zs, map f16.bool bs)
