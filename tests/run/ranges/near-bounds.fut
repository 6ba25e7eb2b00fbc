-- Ranges close to the bounds of their type.
-- ==
-- input { 125i8 127i8 2147483646 } output { [125i8, 126, 127] [2147483646, 2147483647] [-128i8, -127] }

def main (a: i8) (b: i8) (c: i32): ([]i8, []i32, []i8) =
  (a...b, c...2147483647, -128..< -126)
