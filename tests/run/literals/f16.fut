-- Literals of type f16: decimal, with exponent, hexadecimal, with underscores and suffixes.
-- ==
-- input { }
-- output {
--   1.5f16
--   2.0f16
--   0.25f16
--   1.0e+02f16
--   0.15f16
--   25.0f16
--   1000.5f16
--   12.0f16
--   0.9688f16
--   3.5f16
--   3.0f16
--   1.0e+01f16
-- }

def main: (f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16) =
  (1.5, 2, 0.25, 1e2, 1.5e-1, 2.5E+1, 1_000.5, 0x1.8p3, 0x1.fp-1, 3.5f16, 3f16,
   1e1f16)
