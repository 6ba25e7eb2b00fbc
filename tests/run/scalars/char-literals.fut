-- Character literals are integers, of whatever type is wanted.
-- ==
-- input { } output { 97u8 10 32i64 8364 0x41u16 39u8 92u8 1.0 }

def main: (u8, i32, i64, i32, u16, u8, u8, f64) =
  ('a', '\n', ' ', '€', 'A', '\'', '\\', if 'b' > 'a' then 1 else 0)
