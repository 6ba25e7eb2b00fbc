-- nextafter of f16.
-- ==
-- input { [1.0f16, 1.0, -1.0, 0.0, 0.0, 1.0, 2.0, -1.0] [2.0f16, 0.0, 0.0, 1.0, -1.0, 1.0, f16.inf, -f16.inf] }
-- output { [15361u16, 15359, 48127, 1, 32769, 15360, 16385, 48129] }

def main [n] (xs: [n]f16) (ys: [n]f16): [n]u16 =
  map2 (\x y -> f16.to_bits (f16.nextafter x y)) xs ys
