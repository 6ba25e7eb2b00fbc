-- Conversions to u8 from every integer type, by bits: narrower ones are extended with zeros.
-- ==
-- input { -1i8 -1i16 -1 -1i64 255u8 65535u16 4294967295u32 18446744073709551615u64 }
-- output { [255u8, 255, 255, 255, 255, 255, 255, 255] }
-- input { -128i8 -32768i16 -2147483648 -9223372036854775808i64 200u8 200u16 200u32 200u64 }
-- output { [128u8, 0, 0, 0, 200, 200, 200, 200] }
-- input { 127i8 32767i16 2147483647 9223372036854775807i64 1u8 1u16 1u32 1u64 }
-- output { [127u8, 255, 255, 255, 1, 1, 1, 1] }

def main (x0: i8) (x1: i16) (x2: i32) (x3: i64) (x4: u8) (x5: u16) (x6: u32)
         (x7: u64): [8]u8 =
  [u8.i8 x0, u8.i16 x1, u8.i32 x2, u8.i64 x3, u8.u8 x4, u8.u16 x5, u8.u32 x6,
   u8.u64 x7]
