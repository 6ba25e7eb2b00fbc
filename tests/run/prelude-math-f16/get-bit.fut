-- get_bit of the representation of f16.
-- ==
-- input { 1.0f16 }
-- output { [0, 0, 0, 0] }
-- input { -1.0f16 }
-- output { [0, 1, 0, 0] }
-- input { 1.5f16 }
-- output { [0, 0, 0, 0] }
-- input { 0.0f16 }
-- output { [0, 0, 0, 0] }

def main (x: f16): [4]i32 = map (\i -> f16.get_bit i x) [0, 15, 14, 8]
