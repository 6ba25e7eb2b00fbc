-- The bytes of a number in the other order.
-- ==
-- input { 0x12345678u32 } output { 0x78563412u32 }
-- input { 0u32 } output { 0u32 }

def main (x: u32): u32 =
  (x << 24) | ((x & 0xff00) << 8) | ((x >> 8) & 0xff00) | (x >> 24)
