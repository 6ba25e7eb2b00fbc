-- Conversions to u32 from the floating-point types and bool, towards zero.
-- ==
-- input {
--   [0.0f16, 1.9, 100.5, 0.99, 300.75]
--   [0.0f32, 1.9, 100.5, 0.99, 300.75]
--   [0.0, 1.9, 100.5, 0.99, 300.75]
--   [false, true]
-- }
-- output { [0u32, 1, 100, 0, 300] [0u32, 1, 100, 0, 300] [0u32, 1, 100, 0, 300] [0u32, 1] }

def main [n] (xs: [n]f16) (ys: [n]f32) (zs: [n]f64) (bs: []bool) =
  (map u32.f16 xs, map u32.f32 ys, map u32.f64 zs, map u32.bool bs)
