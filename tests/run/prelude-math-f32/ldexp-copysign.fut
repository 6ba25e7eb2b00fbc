-- ldexp and copysign of f32.
-- ==
-- input { [1.0f32, 1.5, 0.0, -3.0, f32.inf] [3, -1, 10, 2, -5] }
-- output {
--   [8.0f32, 0.75, 0.0, -12.0, f32.inf]
--   [-1.0f32, -1.5, 0.0, -3.0, -f32.inf]
--   [1.0f32, 1.5, 0.0, 3.0, f32.inf]
-- }

def main [n] (xs: [n]f32) (ks: [n]i32): ([n]f32, [n]f32, [n]f32) =
  (map2 f32.ldexp xs ks, map (\x -> f32.copysign x (-1)) xs,
   map (\x -> f32.copysign x 2) xs)
