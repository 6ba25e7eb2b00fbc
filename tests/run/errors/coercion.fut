-- A size coercion that fails names both shapes.
-- ==
-- input { [1, 2, 3] [4, 5, 6] } output { [5, 7, 9] }
-- input { [1, 2, 3] [4, 5] } error: cannot match shape
-- input { empty([0]i32) [4, 5] } error: cannot match shape

def main [n] (xs: [n]i32) (ys: []i32): [n]i32 = map2 (+) xs (ys :> [n]i32)
