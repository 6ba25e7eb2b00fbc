-- ldexp and copysign of f64.
-- ==
-- input { [1.0, 1.5, 0.0, -3.0, f64.inf] [3, -1, 10, 2, -5] }
-- output {
--   [8.0, 0.75, 0.0, -12.0, f64.inf]
--   [-1.0, -1.5, 0.0, -3.0, -f64.inf]
--   [1.0, 1.5, 0.0, 3.0, f64.inf]
-- }

def main [n] (xs: [n]f64) (ks: [n]i32): ([n]f64, [n]f64, [n]f64) =
  (map2 f64.ldexp xs ks, map (\x -> f64.copysign x (-1)) xs,
   map (\x -> f64.copysign x 2) xs)
