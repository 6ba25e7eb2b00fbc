-- Literals of type i8: decimal, hexadecimal, binary, with underscores and suffixes.
-- ==
-- input { }
-- output { [0i8, 127, -128, 100, 31, 42, 11, 5, 100, 7] }

def main: [10]i8 =
  [ 0
  , 127
  , -128i8
  , 1_0_0
  , 0x1f
  , 0X2Ai8
  , 0b10_11
  , 0B101i8
  , 100i8
  , 0x0_7
  ]
