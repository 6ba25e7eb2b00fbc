-- gamma and lgamma of f16.
-- ==
-- input { [0.5f16, 1.5, 3.0, 4.0, 5.0, 2.5] }
-- output {
--   [1.772f16, 0.886, 2.0, 6.0, 24.0, 1.329]
--   [0.5723f16, -0.1208, 0.6934, 1.792, 3.178, 0.2847]
-- }

def main [n] (xs: [n]f16): ([n]f16, [n]f16) =
  (map f16.gamma xs, map f16.lgamma xs)
