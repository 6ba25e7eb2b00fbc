-- sum, product, maximum and minimum of u16, also of nothing.
-- ==
-- input { [1u16, 2, 3, 4] }
-- output { [10u16, 24, 4, 1] }
-- input { empty([0]u16) }
-- output { [0u16, 1, 0, 65535] }
-- input { [7u16] }
-- output { [7u16, 7, 7, 7] }
-- input { [65535u16, 1] }
-- output { [0u16, 65535, 65535, 1] }
-- input { [65535u16, 65535, 2] }
-- output { [0u16, 2, 65535, 2] }
-- input { [200u16, 100] }
-- output { [300u16, 20000, 200, 100] }

def main (xs: []u16): [4]u16 =
  [u16.sum xs, u16.product xs, u16.maximum xs, u16.minimum xs]
