-- A map whose elements need different numbers of steps and sizes of intermediate arrays.
-- ==
-- input { [0i64, 1, 4, 10] } output { [0i64, 0, 6, 45] }
-- input { empty([0]i64) } output { empty([0]i64) }

def main [n] (ks: [n]i64): [n]i64 = map (\k -> i64.sum (iota k)) ks
