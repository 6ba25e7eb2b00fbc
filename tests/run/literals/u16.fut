-- Literals of type u16: decimal, hexadecimal, binary, with underscores and suffixes.
-- ==
-- input { }
-- output { [0u16, 65535, 65535, 100, 31, 42, 11, 5, 100, 7] }

def main: [10]u16 =
  [ 0
  , 65535
  , 65535u16
  , 1_0_0
  , 0x1f
  , 0X2Au16
  , 0b10_11
  , 0B101u16
  , 100u16
  , 0x0_7
  ]
