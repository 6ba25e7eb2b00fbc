-- Literals of type u8: decimal, hexadecimal, binary, with underscores and suffixes.
-- ==
-- input { }
-- output { [0u8, 255, 255, 100, 31, 42, 11, 5, 100, 7] }

def main: [10]u8 =
  [ 0
  , 255
  , 255u8
  , 1_0_0
  , 0x1f
  , 0X2Au8
  , 0b10_11
  , 0B101u8
  , 100u8
  , 0x0_7
  ]
