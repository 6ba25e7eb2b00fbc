-- An entry point with a parameter and a result of every primitive type.
-- ==
-- input { 1i8 2i16 3i32 4i64 5u8 6u16 7u32 8u64 1.5f16 2.5f32 3.5f64 true }
-- output { -1i8 -2i16 -3i32 -4i64 250u8 65529u16 4294967288u32 18446744073709551607u64 -1.5f16 -2.5f32 -3.5f64 false }
-- input { -128i8 -1i16 0i32 -9223372036854775808i64 255u8 0u16 4294967295u32 0u64 f16.inf -f32.inf f64.nan false }
-- output {
--   -128i8
--   1i16
--   0i32
--   -9223372036854775808i64
--   0u8
--   65535u16
--   0u32
--   18446744073709551615u64
--   -f16.inf
--   f32.inf
--   f64.nan
--   true
-- }

def main (a: i8) (b: i16) (c: i32) (d: i64) (e: u8) (f: u16) (g: u32) (h: u64)
         (i: f16) (j: f32) (k: f64) (l: bool) =
  (-a, -b, -c, -d, !e, !f, !g, !h, -i, -j, -k, !l)
