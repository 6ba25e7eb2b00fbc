-- The least signed number divided by -1 wraps around; in the peer i32 and i64 die with a signal.
-- ==
-- tags { no_peer }
-- input { -128i8 -32768i16 -2147483648i32 -9223372036854775808i64 }
-- output { -128i8 -32768i16 -2147483648i32 -9223372036854775808i64 0 0i64 }

def main (a: i8) (b: i16) (c: i32) (d: i64): (i8, i16, i32, i64, i32, i64) =
  (a / (-1), b // (-1), c // (-1), d / (-1), c % (-1), d %% (-1))
