-- A reduction wraps around in the middle and comes back.
-- ==
-- input { [127i8, 1, -1] } output { 127i8 [127i8, -128, 127] }
-- input { [100i8, 100, 100] } output { 44i8 [100i8, -56, 44] }

def main [n] (xs: [n]i8): (i8, [n]i8) = (reduce (+) 0 xs, scan (+) 0 xs)
