-- Overflow to infinity, division by zero and logarithms of zero.
-- ==
-- input { 1e308 0.0 } output { [f64.inf, f64.inf, -f64.inf, f64.inf, 0.0] }
-- input { -1e308 -0.0 } output { [-f64.inf, f64.inf, -f64.inf, f64.inf, 0.0] }

def main (big: f64) (zero: f64): [5]f64 =
  [big * 10, 1 / f64.abs zero, f64.log zero, f64.exp 1000, f64.exp (-1000)]
