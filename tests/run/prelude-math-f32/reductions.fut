-- sum, product, maximum and minimum of f32, also of nothing.
-- ==
-- input { [1.0f32, 2.0, 3.0, 4.0] }
-- output { [1.0e+01f32, 24.0, 4.0, 1.0] }
-- input { empty([0]f32) }
-- output { [0.0f32, 1.0, -f32.inf, f32.inf] }
-- input { [0.5f32] }
-- output { [0.5f32, 0.5, 0.5, 0.5] }
-- input { [-1.0f32, -2.5, 3.0] }
-- output { [-0.5f32, 7.5, 3.0, -2.5] }
-- input { [f32.inf, 1.0] }
-- output { [f32.inf, f32.inf, f32.inf, 1.0] }
-- input { [f32.inf, -f32.inf] }
-- output { [f32.nan, -f32.inf, f32.inf, -f32.inf] }

def main (xs: []f32): [4]f32 =
  [f32.sum xs, f32.product xs, f32.maximum xs, f32.minimum xs]
