-- mul_hi and mad_hi of u32: the upper half of the double-width product.
-- ==
-- input {
--   [3u32, 4294967295, 4294967295, 0, 0, 1, 100, 4294967295]
--   [5u32, 4294967295, 2, 4294967295, 0, 1, 100, 4294967294]
-- }
-- output { [0u32, 4294967294, 1, 0, 0, 0, 0, 4294967293] [7u32, 5, 8, 7, 7, 7, 7, 4] }

def main [n] (xs: [n]u32) (ys: [n]u32): ([n]u32, [n]u32) =
  (map2 u32.mul_hi xs ys, map2 (\x y -> u32.mad_hi x y 7) xs ys)
