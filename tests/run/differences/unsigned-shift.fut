-- The members >> of the unsigned types shift zeros in, like the operator.
-- ==
-- tags { no_peer }
-- input { 128u8 32768u16 2147483648u32 9223372036854775808u64 }
-- output { 64u8 16384u16 1073741824u32 4611686018427387904u64 }
-- input { 255u8 65535u16 4294967295u32 18446744073709551615u64 }
-- output { 127u8 32767u16 2147483647u32 9223372036854775807u64 }

def main (a: u8) (b: u16) (c: u32) (d: u64): (u8, u16, u32, u64) =
  (a u8.>> 1, b u16.>> 1, c u32.>> 1, d u64.>> 1)
