-- Conversions to f32 from the floating-point types and bool.
-- ==
-- input {
--   [0.0f16, 1.5, -2.25, 0.1, 1.0e+03, f16.inf, f16.nan]
--   [0.0f32, 1.5, -2.25, 0.1, 1000.125, f32.inf, f32.nan]
--   [0.0, 1.5, -2.25, 0.1, 1000.125, f64.inf, f64.nan]
--   [false, true]
-- }
-- output {
--   [0.0f32, 1.5, -2.25, 0.099975586, 1.0e+03, f32.inf, f32.nan]
--   [0.0f32, 1.5, -2.25, 0.1, 1000.125, f32.inf, f32.nan]
--   [0.0f32, 1.5, -2.25, 0.1, 1000.125, f32.inf, f32.nan]
--   [0.0f32, 1.0]
-- }

def main [n] (xs: [n]f16) (ys: [n]f32) (zs: [n]f64) (bs: []bool) =
  (map f32.f16 xs, map f32.f32 ys, map f32.f64 zs, map f32.bool bs)
