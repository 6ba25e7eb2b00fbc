-- Conversions of floating-point numbers to integers drop the fraction.
-- ==
-- input { 2.9 -2.9 } output { [2, -2] [2i64, -2] [2i8, -2] 2u8 }
-- input { 0.0 -0.5 } output { [0, 0] [0i64, 0] [0i8, 0] 0u8 }

def main (x: f64) (y: f64): ([2]i32, [2]i64, [2]i8, u8) =
  ([i32.f64 x, i32.f64 y], [i64.f64 x, i64.f64 y], [i8.f64 x, i8.f64 y],
   u8.f64 x)
