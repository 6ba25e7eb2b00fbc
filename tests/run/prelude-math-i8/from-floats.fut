-- Conversions to i8 from the floating-point types and bool, towards zero.
-- ==
-- input {
--   [0.0f16, 1.9, 100.5, 0.99, -1.9, -100.5, -0.5]
--   [0.0f32, 1.9, 100.5, 0.99, -1.9, -100.5, -0.5]
--   [0.0, 1.9, 100.5, 0.99, -1.9, -100.5, -0.5]
--   [false, true]
-- }
-- output {
--   [0i8, 1, 100, 0, -1, -100, 0]
--   [0i8, 1, 100, 0, -1, -100, 0]
--   [0i8, 1, 100, 0, -1, -100, 0]
--   [0i8, 1]
-- }

def main [n] (xs: [n]f16) (ys: [n]f32) (zs: [n]f64) (bs: []bool) =
  (map i8.f16 xs, map i8.f32 ys, map i8.f64 zs, map i8.bool bs)
