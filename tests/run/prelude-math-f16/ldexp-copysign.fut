-- ldexp and copysign of f16.
-- ==
-- input { [1.0f16, 1.5, 0.0, -3.0, f16.inf] [3, -1, 10, 2, -5] }
-- output {
--   [8.0f16, 0.75, 0.0, -12.0, f16.inf]
--   [-1.0f16, -1.5, 0.0, -3.0, -f16.inf]
--   [1.0f16, 1.5, 0.0, 3.0, f16.inf]
-- }

def main [n] (xs: [n]f16) (ks: [n]i32): ([n]f16, [n]f16, [n]f16) =
  (map2 f16.ldexp xs ks, map (\x -> f16.copysign x (-1)) xs,
   map (\x -> f16.copysign x 2) xs)
