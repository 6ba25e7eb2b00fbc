-- Literals of type u32: decimal, hexadecimal, binary, with underscores and suffixes.
-- ==
-- input { }
-- output { [0u32, 4294967295, 4294967295, 100, 31, 42, 11, 5, 100, 7] }

def main: [10]u32 =
  [ 0
  , 4294967295
  , 4294967295u32
  , 1_0_0
  , 0x1f
  , 0X2Au32
  , 0b10_11
  , 0B101u32
  , 100u32
  , 0x0_7
  ]
