-- A multiplicative hash with wrapping unsigned arithmetic.
-- ==
-- input { [1u32, 2, 3] } output { 1456420779u32 }
-- input { empty([0]u32) } output { 2166136261u32 }

def main (xs: []u32): u32 =
  foldl (\h x -> (h ^ x) * 16777619) 2166136261 xs
