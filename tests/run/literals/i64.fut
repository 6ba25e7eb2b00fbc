-- Literals of type i64: decimal, hexadecimal, binary, with underscores and suffixes.
-- ==
-- input { }
-- output { [0i64, 9223372036854775807, -9223372036854775808, 100, 31, 42, 11, 5, 100, 7] }

def main: [10]i64 =
  [ 0
  , 9223372036854775807
  , -9223372036854775808i64
  , 1_0_0
  , 0x1f
  , 0X2Ai64
  , 0b10_11
  , 0B101i64
  , 100i64
  , 0x0_7
  ]
