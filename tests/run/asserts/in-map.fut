-- Assertions inside map: one that fails is enough.
-- ==
-- input { [1, 2, 3] } output { [1, 4, 9] }
-- input { [1, -2, 3] } error: x > 0
-- input { empty([0]i32) } output { empty([0]i32) }

def main [n] (xs: [n]i32): [n]i32 = map (\x -> assert (x > 0) (x * x)) xs
