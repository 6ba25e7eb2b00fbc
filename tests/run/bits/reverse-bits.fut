-- The bits of a number in reverse order, with get_bit and set_bit.
-- ==
-- input { [1u8, 128, 5, 255, 0] } output { [128u8, 1, 160, 255, 0] }

def rev (x: u8): u8 =
  loop y = 0 for i < 8 do u8.set_bit (7 - i) y (u8.get_bit i x)
def main [n] (xs: [n]u8): [n]u8 = map rev xs
