-- sum, product, maximum and minimum of u32, also of nothing.
-- ==
-- input { [1u32, 2, 3, 4] }
-- output { [10u32, 24, 4, 1] }
-- input { empty([0]u32) }
-- output { [0u32, 1, 0, 4294967295] }
-- input { [7u32] }
-- output { [7u32, 7, 7, 7] }
-- input { [4294967295u32, 1] }
-- output { [0u32, 4294967295, 4294967295, 1] }
-- input { [4294967295u32, 4294967295, 2] }
-- output { [0u32, 2, 4294967295, 2] }
-- input { [200u32, 100] }
-- output { [300u32, 20000, 200, 100] }

def main (xs: []u32): [4]u32 =
  [u32.sum xs, u32.product xs, u32.maximum xs, u32.minimum xs]
