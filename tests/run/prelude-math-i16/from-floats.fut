-- Conversions to i16 from the floating-point types and bool, towards zero.
-- ==
-- input {
--   [0.0f16, 1.9, 100.5, 0.99, -1.9, -100.5, -0.5, 300.75]
--   [0.0f32, 1.9, 100.5, 0.99, -1.9, -100.5, -0.5, 300.75]
--   [0.0, 1.9, 100.5, 0.99, -1.9, -100.5, -0.5, 300.75]
--   [false, true]
-- }
-- output {
--   [0i16, 1, 100, 0, -1, -100, 0, 300]
--   [0i16, 1, 100, 0, -1, -100, 0, 300]
--   [0i16, 1, 100, 0, -1, -100, 0, 300]
--   [0i16, 1]
-- }

def main [n] (xs: [n]f16) (ys: [n]f32) (zs: [n]f64) (bs: []bool) =
  (map i16.f16 xs, map i16.f32 ys, map i16.f64 zs, map i16.bool bs)
