-- Conversions there and back.
-- ==
-- input { -5i8 200u8 1.5f32 } output { -5i8 200u8 1.5f32 true }
-- input { 127i8 0u8 -0.25f32 } output { 127i8 0u8 -0.25f32 true }

def main (a: i8) (b: u8) (c: f32): (i8, u8, f32, bool) =
  (i8.i64 (i64.i8 a), u8.i32 (i32.u8 b), f32.f64 (f64.f32 c),
   u8.i8 (i8.u8 b) == b)
