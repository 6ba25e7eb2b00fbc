-- Ranges of every signed integer type.
-- ==
-- input { 2i8 2i16 2i32 2i64 } output { [0i8, 1] [0i16, 1] [0, 1] [0i64, 1] }
-- input { 1i8 1i16 1i32 1i64 } output { [0i8] [0i16] [0] [0i64] }
-- input { -1i8 0i16 1i32 1i64 } error: 0..<-1

def main (a: i8) (b: i16) (c: i32) (d: i64) = (0..<a, 0..<b, 0..<c, 0..<d)
