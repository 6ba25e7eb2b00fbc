-- Arrays of every primitive type.
-- ==
-- input { 2i64 }
-- output { [0i8, 1i8] [0i16, 1i16] [0, 1] [0i64, 1i64] [0u8, 1u8] [0u16, 1u16] [0u32, 1u32] [0u64, 1u64] }
-- input { 0i64 }
-- output {
--   empty([0]i8)
--   empty([0]i16)
--   empty([0]i32)
--   empty([0]i64)
--   empty([0]u8)
--   empty([0]u16)
--   empty([0]u32)
--   empty([0]u64)
-- }

def main (n: i64) =
  let is = iota n
  in ( map i8.i64 is
     , map i16.i64 is
     , map i32.i64 is
     , is
     , map u8.i64 is
     , map u16.i64 is
     , map u32.i64 is
     , map u64.i64 is
     )
