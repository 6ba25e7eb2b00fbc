-- Equalisation of the grey values of a picture by a histogram and its prefix sum.
-- ==
-- input { [[0u8, 0], [1u8, 255]] } output { [[127u8, 127], [191u8, 255]] }
-- input { empty([0][2]u8) } output { empty([0][2]u8) }

def main [n] [m] (image: [n][m]u8): [n][m]u8 =
  let h = hist (+) 0 256 (map i64.u8 (flatten image)) (replicate (n * m) 1)
  let cdf = scan (+) 0 h
  let table = map (\c -> u8.i64 (255 * c / i64.max 1 (n * m))) cdf
  in map (map (\p -> table[i64.u8 p])) image
