-- The type of a literal follows from its use.
-- ==
-- input { 5u8 2.5f32 } output { 4u8 7.5f32 10i64 }
-- input { 255u8 1f32 } output { 254u8 6f32 10i64 }

def ten: i64 = 10
def main (x: u8) (y: f32): (u8, f32, i64) =
  (x + 255, y + 5, ten)
