-- Booleans as numbers of every type.
-- ==
-- input { true } output { 1i8 1i16 1i32 1i64 1u8 1u16 1u32 1u64 1f16 1f32 1f64 }
-- input { false } output { 0i8 0i16 0i32 0i64 0u8 0u16 0u32 0u64 0f16 0f32 0f64 }

def main (b: bool) =
  ( i8.bool b
  , i16.bool b
  , i32.bool b
  , i64.bool b
  , u8.bool b
  , u16.bool b
  , u32.bool b
  , u64.bool b
  , f16.bool b
  , f32.bool b
  , f64.bool b
  )
