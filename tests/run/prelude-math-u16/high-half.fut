-- mul_hi and mad_hi of u16: the upper half of the double-width product.
-- ==
-- input { [3u16, 65535, 65535, 0, 0, 1, 100, 65535] [5u16, 65535, 2, 65535, 0, 1, 100, 65534] }
-- output { [0u16, 65534, 1, 0, 0, 0, 0, 65533] [7u16, 5, 8, 7, 7, 7, 7, 4] }

def main [n] (xs: [n]u16) (ys: [n]u16): ([n]u16, [n]u16) =
  (map2 u16.mul_hi xs ys, map2 (\x y -> u16.mad_hi x y 7) xs ys)
