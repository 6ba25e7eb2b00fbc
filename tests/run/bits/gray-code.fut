-- Gray code and back.
-- ==
-- input { [0u8, 1, 2, 3, 255] } output { [0u8, 1, 3, 2, 128] [0u8, 1, 2, 3, 255] }
-- input { empty([0]u8) } output { empty([0]u8) empty([0]u8) }

def encode (x: u8): u8 = x ^ (x >> 1)
def decode (x: u8): u8 =
  let x = x ^ (x >> 4)
  let x = x ^ (x >> 2)
  in x ^ (x >> 1)
def main [n] (xs: [n]u8): ([n]u8, [n]u8) =
  (map encode xs, map (encode >-> decode) xs)
