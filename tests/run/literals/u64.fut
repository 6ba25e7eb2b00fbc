-- Literals of type u64: decimal, hexadecimal, binary, with underscores and suffixes.
-- ==
-- input { }
-- output { [0u64, 18446744073709551615, 18446744073709551615, 100, 31, 42, 11, 5, 100, 7] }

def main: [10]u64 =
  [ 0
  , 18446744073709551615
  , 18446744073709551615u64
  , 1_0_0
  , 0x1f
  , 0X2Au64
  , 0b10_11
  , 0B101u64
  , 100u64
  , 0x0_7
  ]
