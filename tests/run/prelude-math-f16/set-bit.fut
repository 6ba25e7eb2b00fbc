-- set_bit of the representation of f16: the sign and the last bit.
-- ==
-- input { 1.0f16 }
-- output { [-1.0f16, 1.0, 1.001] }
-- input { -1.0f16 }
-- output { [-1.0f16, 1.0, -1.001] }
-- input { 1.5f16 }
-- output { [-1.5f16, 1.5, 1.501] }
-- input { 0.0f16 }
-- output { [-0.0f16, 0.0, 6.0e-08] }

def main (x: f16): [3]f16 =
  [f16.set_bit 15 x 1, f16.set_bit 15 x 0, f16.set_bit 0 x 1]
