-- atanh of f16, also at and beyond its bounds.
-- ==
-- input { [0.0f16, 0.5, -0.5, 0.875, 0.125] }
-- output { [0.0f16, 0.5493, -0.5493, 1.3545, 0.1256] }
-- input { [1.0f16, -1.0, 2.0] }
-- output { [f16.inf, -f16.inf, f16.nan] }

def main [n] (xs: [n]f16): [n]f16 = map f16.atanh xs
