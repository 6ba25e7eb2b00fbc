-- Integers that floating-point numbers cannot hold exactly are rounded to the nearest.
-- ==
-- input { 9007199254740993i64 16777217 } output { 9007199254740992.0 16777216f32 }
-- input { -9223372036854775808i64 -16777219 } output { -9223372036854775808.0 -16777220f32 }

def main (x: i64) (y: i32): (f64, f32) = (f64.i64 x, f32.i32 y)
