-- The module bool converts from every primitive type: zero is false.
-- ==
-- input { 0i8 0i16 0i32 0i64 0u8 0u16 0u32 0u64 0f16 0f32 0f64 false }
-- output { [false, false, false, false, false, false, false, false, false, false, false, false] }
-- input { -1i8 2i16 256 4294967296i64 128u8 256u16 1u32 1u64 0.5f16 1e-30f32 -1.0 true }
-- output { [true, true, true, true, true, true, true, true, true, true, true, true] }

def main (a: i8) (b: i16) (c: i32) (d: i64) (e: u8) (f: u16) (g: u32) (h: u64)
         (i: f16) (j: f32) (k: f64) (l: bool) =
  [ bool.i8 a
  , bool.i16 b
  , bool.i32 c
  , bool.i64 d
  , bool.u8 e
  , bool.u16 f
  , bool.u32 g
  , bool.u64 h
  , bool.f16 i
  , bool.f32 j
  , bool.f64 k
  , bool.bool l
  ]
