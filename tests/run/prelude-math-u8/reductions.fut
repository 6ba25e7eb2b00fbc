-- sum, product, maximum and minimum of u8, also of nothing.
-- ==
-- input { [1u8, 2, 3, 4] }
-- output { [10u8, 24, 4, 1] }
-- input { empty([0]u8) }
-- output { [0u8, 1, 0, 255] }
-- input { [7u8] }
-- output { [7u8, 7, 7, 7] }
-- input { [255u8, 1] }
-- output { [0u8, 255, 255, 1] }
-- input { [255u8, 255, 2] }
-- output { [0u8, 2, 255, 2] }
-- input { [200u8, 100] }
-- output { [44u8, 32, 200, 100] }

def main (xs: []u8): [4]u8 =
  [u8.sum xs, u8.product xs, u8.maximum xs, u8.minimum xs]
