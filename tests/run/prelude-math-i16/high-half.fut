-- mul_hi and mad_hi of i16: the upper half of the double-width product.
-- ==
-- input {
--   [3i16, 32767, 32767, -32768, -32768, 1, 100, -1, -1, -32768, -100]
--   [5i16, 32767, 2, 32767, -32768, 1, 100, 1, -1, -1, 3]
-- }
-- output {
--   [0i16, 16383, 0, -16384, 16384, 0, 0, -1, 0, 0, -1]
--   [7i16, 16390, 7, -16377, 16391, 7, 7, 6, 7, 7, 6]
-- }

def main [n] (xs: [n]i16) (ys: [n]i16): ([n]i16, [n]i16) =
  (map2 i16.mul_hi xs ys, map2 (\x y -> i16.mad_hi x y 7) xs ys)
