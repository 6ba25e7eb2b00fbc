-- get_bit of the representation of f32.
-- ==
-- input { 1.0f32 }
-- output { [0, 0, 0, 0] }
-- input { -1.0f32 }
-- output { [0, 1, 0, 0] }
-- input { 1.5f32 }
-- output { [0, 0, 0, 0] }
-- input { 0.0f32 }
-- output { [0, 0, 0, 0] }

def main (x: f32): [4]i32 = map (\i -> f32.get_bit i x) [0, 31, 30, 16]
