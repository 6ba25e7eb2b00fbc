-- Negation and subtraction of unsigned numbers wrap around.
-- ==
-- input { 1u8 2u32 } output { 255u8 4294967295u32 }
-- input { 0u8 0u32 } output { 0u8 1u32 }

def main (x: u8) (y: u32): (u8, u32) = (-x, 1 - y)
