-- mul_hi and mad_hi of u8: the upper half of the double-width product.
-- ==
-- input { [3u8, 255, 255, 0, 0, 1, 100, 255] [5u8, 255, 2, 255, 0, 1, 100, 254] }
-- output { [0u8, 254, 1, 0, 0, 0, 39, 253] [7u8, 5, 8, 7, 7, 7, 46, 4] }

def main [n] (xs: [n]u8) (ys: [n]u8): ([n]u8, [n]u8) =
  (map2 u8.mul_hi xs ys, map2 (\x y -> u8.mad_hi x y 7) xs ys)
