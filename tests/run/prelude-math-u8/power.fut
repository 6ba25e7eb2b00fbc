-- Powers of u8, which wrap around.
-- ==
-- input { [2u8, 2, 2, 3, 0, 0, 1, 10, 2, 2, 7, 255, 255] [0u8, 1, 5, 4, 0, 3, 100, 2, 7, 8, 11, 2, 3] }
-- output { [1u8, 2, 32, 81, 1, 0, 1, 100, 128, 0, 151, 1, 255] }
-- input { [5u8] [3u8] }
-- output { [125u8] }

def main [n] (xs: [n]u8) (ys: [n]u8): [n]u8 = map2 (**) xs ys
