-- Conversions to narrower types keep the low bits.
-- ==
-- input { 511i64 } output { -1i8 255u8 511i16 511u32 }
-- input { -1i64 } output { -1i8 255u8 -1i16 4294967295u32 }
-- input { 4294967296i64 } output { 0i8 0u8 0i16 0u32 }

def main (x: i64): (i8, u8, i16, u32) =
  (i8.i64 x, u8.i64 x, i16.i64 x, u32.i64 x)
