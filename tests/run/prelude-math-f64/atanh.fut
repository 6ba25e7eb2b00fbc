-- atanh of f64, also at and beyond its bounds.
-- ==
-- input { [0.0, 0.5, -0.5, 0.875, 0.125] }
-- output { [0.0, 0.5493061443340549, -0.5493061443340549, 1.354025100551105, 0.12565721414045303] }
-- input { [1.0, -1.0, 2.0] }
-- output { [f64.inf, -f64.inf, f64.nan] }

def main [n] (xs: [n]f64): [n]f64 = map f64.atanh xs
