-- mul_hi and mad_hi of i8: the upper half of the double-width product.
-- ==
-- input { [3i8, 127, 127, -128, -128, 1, 100, -1, -1, -128, -100] [5i8, 127, 2, 127, -128, 1, 100, 1, -1, -1, 3] }
-- output { [0i8, 63, 0, -64, 64, 0, 39, -1, 0, 0, -2] [7i8, 70, 7, -57, 71, 7, 46, 6, 7, 7, 5] }

def main [n] (xs: [n]i8) (ys: [n]i8): ([n]i8, [n]i8) =
  (map2 i8.mul_hi xs ys, map2 (\x y -> i8.mad_hi x y 7) xs ys)
