-- A number is read from digits, with a sign.
-- ==
-- input { [49u8, 50, 51] } output { 123 }
-- input { [45u8, 55] } output { -7 }
-- input { empty([0]u8) } output { 0 }

def digits (s: []u8): i32 = foldl (\acc c -> acc * 10 + i32.u8 (c - '0')) 0 s
def main (s: []u8): i32 =
  if length s > 0 && s[0] == '-' then -(digits (tail s)) else digits s
