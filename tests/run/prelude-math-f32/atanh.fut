-- atanh of f32, also at and beyond its bounds.
-- ==
-- input { [0.0f32, 0.5, -0.5, 0.875, 0.125] }
-- output { [0.0f32, 0.54930615, -0.54930615, 1.3540251, 0.12565722] }
-- input { [1.0f32, -1.0, 2.0] }
-- output { [f32.inf, -f32.inf, f32.nan] }

def main [n] (xs: [n]f32): [n]f32 = map f32.atanh xs
