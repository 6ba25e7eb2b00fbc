-- Literals of type f64: decimal, with exponent, hexadecimal, with underscores and suffixes.
-- ==
-- input { }
-- output { 1.5 2.0 0.25 1.0e+02 0.15 25.0 1000.5 12.0 0.96875 3.5 3.0 1.0e+01 }

def main: (f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64) =
  (1.5, 2, 0.25, 1e2, 1.5e-1, 2.5E+1, 1_000.5, 0x1.8p3, 0x1.fp-1, 3.5f64, 3f64,
   1e1f64)
