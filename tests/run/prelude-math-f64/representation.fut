-- to_bits and from_bits of f64.
-- ==
-- input { [0.0, 1.0, -2.0, 0.5, f64.inf, -f64.inf, 1.0e+308, -0.0] }
-- output {
--   [0u64, 4607182418800017408, 13835058055282163712, 4602678819172646912, 9218868437227405312,
--     18442240474082181120, 9214871658872686752, 9223372036854775808]
--   [true, true, true, true, true, true, true, true]
-- }
-- input { [5.0e-324] }
-- output { [1u64] [true] }

def main [n] (xs: [n]f64): ([n]u64, [n]bool) =
  (map f64.to_bits xs, map (\x -> f64.from_bits (f64.to_bits x) == x) xs)
