-- Conversions to u8 from the floating-point types and bool, towards zero.
-- ==
-- input { [0.0f16, 1.9, 100.5, 0.99] [0.0f32, 1.9, 100.5, 0.99] [0.0, 1.9, 100.5, 0.99] [false, true] }
-- output { [0u8, 1, 100, 0] [0u8, 1, 100, 0] [0u8, 1, 100, 0] [0u8, 1] }

def main [n] (xs: [n]f16) (ys: [n]f32) (zs: [n]f64) (bs: []bool) =
  (map u8.f16 xs, map u8.f32 ys, map u8.f64 zs, map u8.bool bs)
