-- Negative zero equals zero, but its reciprocal is negative.
-- ==
-- input { -0.0 } output { true -f64.inf f64.inf }
-- input { 0.0 } output { true f64.inf -f64.inf }

def main (x: f64): (bool, f64, f64) = (x == 0, 1 / x, 1 / (-x))
