-- Literals of type i32: decimal, hexadecimal, binary, with underscores and suffixes.
-- ==
-- input { }
-- output { [0, 2147483647, -2147483648, 100, 31, 42, 11, 5, 100, 7] }

def main: [10]i32 =
  [ 0
  , 2147483647
  , -2147483648i32
  , 1_0_0
  , 0x1f
  , 0X2Ai32
  , 0b10_11
  , 0B101i32
  , 100i32
  , 0x0_7
  ]
