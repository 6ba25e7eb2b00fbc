-- to_bits and from_bits of f32.
-- ==
-- input { [0.0f32, 1.0, -2.0, 0.5, f32.inf, -f32.inf, 2.0e+38, -0.0] }
-- output {
--   [0u32, 1065353216, 3221225472, 1056964608, 2139095040, 4286578688, 2132178585, 2147483648]
--   [true, true, true, true, true, true, true, true]
-- }
-- input { [1.0e-45f32] }
-- output { [1u32] [true] }

def main [n] (xs: [n]f32): ([n]u32, [n]bool) =
  (map f32.to_bits xs, map (\x -> f32.from_bits (f32.to_bits x) == x) xs)
