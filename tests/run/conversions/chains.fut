-- Chains of conversions through types of several widths.
-- ==
-- input { 300 } output { 44i64 300.0 -1 300f16 }
-- input { -1 } output { 255i64 -1.0 -1 -1f16 }

def main (x: i32): (i64, f64, i32, f16) =
  (i64.u8 (u8.i32 x), f64.i16 (i16.i32 x), i32.i8 (i8.i32 (-1)),
   f16.i64 (i64.i32 x))
