-- Sum, difference, product and negation of u8, which wrap around.
-- ==
-- input { [0u8, 1, 7, 255, 0, 255, 0, 0, 100, 1, 254, 5] [0u8, 2, 5, 1, 1, 255, 0, 255, 100, 7, 3, 255] }
-- output {
--   [0u8, 3, 12, 0, 1, 254, 0, 255, 200, 8, 1, 4]
--   [0u8, 255, 2, 254, 255, 0, 0, 1, 0, 250, 251, 6]
--   [0u8, 2, 35, 255, 0, 1, 0, 0, 16, 7, 250, 251]
--   [0u8, 255, 249, 1, 0, 1, 0, 0, 156, 255, 2, 251]
-- }
-- input { empty([0]u8) empty([0]u8) }
-- output { empty([0]u8) empty([0]u8) empty([0]u8) empty([0]u8) }

def main [n] (xs: [n]u8) (ys: [n]u8): ([n]u8, [n]u8, [n]u8, [n]u8) =
  (map2 (+) xs ys, map2 (-) xs ys, map2 (*) xs ys, map (\x -> -x) xs)
