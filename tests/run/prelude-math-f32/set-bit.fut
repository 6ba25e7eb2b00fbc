-- set_bit of the representation of f32: the sign and the last bit.
-- ==
-- input { 1.0f32 }
-- output { [-1.0f32, 1.0, 1.0000001] }
-- input { -1.0f32 }
-- output { [-1.0f32, 1.0, -1.0000001] }
-- input { 1.5f32 }
-- output { [-1.5f32, 1.5, 1.5000001] }
-- input { 0.0f32 }
-- output { [-0.0f32, 0.0, 1.0e-45] }

def main (x: f32): [3]f32 =
  [f32.set_bit 31 x 1, f32.set_bit 31 x 0, f32.set_bit 0 x 1]
