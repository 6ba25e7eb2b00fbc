-- An array that is updated in only one branch.
-- ==
-- input { true [1, 2] } output { [0, 2] }
-- input { false [1, 2] } output { [1, 2] }

def main [n] (b: bool) (xs: *[n]i32): [n]i32 = if b then xs with [0] = 0 else xs
