-- to_bits and from_bits of f16.
-- ==
-- input { [0.0f16, 1.0, -2.0, 0.5, f16.inf, -f16.inf, 4.0e+04] }
-- output {
--   [0u16, 15360, 49152, 14336, 31744, 64512, 30946]
--   [true, true, true, true, true, true, true]
-- }
-- input { [6.0e-08f16] }
-- output { [1u16] [true] }

def main [n] (xs: [n]f16): ([n]u16, [n]bool) =
  (map f16.to_bits xs, map (\x -> f16.from_bits (f16.to_bits x) == x) xs)
