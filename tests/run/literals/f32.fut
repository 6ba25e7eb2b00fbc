-- Literals of type f32: decimal, with exponent, hexadecimal, with underscores and suffixes.
-- ==
-- input { }
-- output {
--   1.5f32
--   2.0f32
--   0.25f32
--   1.0e+02f32
--   0.15f32
--   25.0f32
--   1000.5f32
--   12.0f32
--   0.96875f32
--   3.5f32
--   3.0f32
--   1.0e+01f32
-- }

def main: (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32) =
  (1.5, 2, 0.25, 1e2, 1.5e-1, 2.5E+1, 1_000.5, 0x1.8p3, 0x1.fp-1, 3.5f32, 3f32,
   1e1f32)
