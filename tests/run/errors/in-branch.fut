-- An error in a branch that is not taken does not occur.
-- ==
-- input { true [1] } output { 1 }
-- input { false [1] } error: out of bounds

def main (b: bool) (xs: []i32): i32 = if b then xs[0] else xs[5]
