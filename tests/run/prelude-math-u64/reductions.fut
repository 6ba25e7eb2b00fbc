-- sum, product, maximum and minimum of u64, also of nothing.
-- ==
-- input { [1u64, 2, 3, 4] }
-- output { [10u64, 24, 4, 1] }
-- input { empty([0]u64) }
-- output { [0u64, 1, 0, 18446744073709551615] }
-- input { [7u64] }
-- output { [7u64, 7, 7, 7] }
-- input { [18446744073709551615u64, 1] }
-- output { [0u64, 18446744073709551615, 18446744073709551615, 1] }
-- input { [18446744073709551615u64, 18446744073709551615, 2] }
-- output { [0u64, 2, 18446744073709551615, 2] }
-- input { [200u64, 100] }
-- output { [300u64, 20000, 200, 100] }

def main (xs: []u64): [4]u64 =
  [u64.sum xs, u64.product xs, u64.maximum xs, u64.minimum xs]
