-- partition2 into three parts; the first predicate that holds decides.
-- ==
-- input { [5, -1, 0, 7, -2] } output { [5, 7] [0] [-1, -2] }
-- input { [0, 0] } output { empty([0]i32) [0, 0] empty([0]i32) }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) empty([0]i32) }

def main (xs: []i32): ([]i32, []i32, []i32) = partition2 (> 0) (>= 0) xs
