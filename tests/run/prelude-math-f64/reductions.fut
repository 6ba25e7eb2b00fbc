-- sum, product, maximum and minimum of f64, also of nothing.
-- ==
-- input { [1.0, 2.0, 3.0, 4.0] }
-- output { [1.0e+01, 24.0, 4.0, 1.0] }
-- input { empty([0]f64) }
-- output { [0.0, 1.0, -f64.inf, f64.inf] }
-- input { [0.5] }
-- output { [0.5, 0.5, 0.5, 0.5] }
-- input { [-1.0, -2.5, 3.0] }
-- output { [-0.5, 7.5, 3.0, -2.5] }
-- input { [f64.inf, 1.0] }
-- output { [f64.inf, f64.inf, f64.inf, 1.0] }
-- input { [f64.inf, -f64.inf] }
-- output { [f64.nan, -f64.inf, f64.inf, -f64.inf] }

def main (xs: []f64): [4]f64 =
  [f64.sum xs, f64.product xs, f64.maximum xs, f64.minimum xs]
