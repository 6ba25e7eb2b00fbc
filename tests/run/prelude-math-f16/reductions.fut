-- sum, product, maximum and minimum of f16, also of nothing.
-- ==
-- input { [1.0f16, 2.0, 3.0, 4.0] }
-- output { [1.0e+01f16, 24.0, 4.0, 1.0] }
-- input { empty([0]f16) }
-- output { [0.0f16, 1.0, -f16.inf, f16.inf] }
-- input { [0.5f16] }
-- output { [0.5f16, 0.5, 0.5, 0.5] }
-- input { [-1.0f16, -2.5, 3.0] }
-- output { [-0.5f16, 7.5, 3.0, -2.5] }
-- input { [f16.inf, 1.0] }
-- output { [f16.inf, f16.inf, f16.inf, 1.0] }
-- input { [f16.inf, -f16.inf] }
-- output { [f16.nan, -f16.inf, f16.inf, -f16.inf] }

def main (xs: []f16): [4]f16 =
  [f16.sum xs, f16.product xs, f16.maximum xs, f16.minimum xs]
