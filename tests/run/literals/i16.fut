-- Literals of type i16: decimal, hexadecimal, binary, with underscores and suffixes.
-- ==
-- input { }
-- output { [0i16, 32767, -32768, 100, 31, 42, 11, 5, 100, 7] }

def main: [10]i16 =
  [ 0
  , 32767
  , -32768i16
  , 1_0_0
  , 0x1f
  , 0X2Ai16
  , 0b10_11
  , 0B101i16
  , 100i16
  , 0x0_7
  ]
