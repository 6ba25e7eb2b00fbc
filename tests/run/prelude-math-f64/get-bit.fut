-- get_bit of the representation of f64.
-- ==
-- input { 1.0 }
-- output { [0, 0, 0, 0] }
-- input { -1.0 }
-- output { [0, 1, 0, 0] }
-- input { 1.5 }
-- output { [0, 0, 0, 0] }
-- input { 0.0 }
-- output { [0, 0, 0, 0] }

def main (x: f64): [4]i32 = map (\i -> f64.get_bit i x) [0, 63, 62, 32]
