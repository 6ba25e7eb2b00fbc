-- partition into those that satisfy a predicate and the others.
-- ==
-- input { [1, 2, 3, 4, 5] } output { [2, 4] [1, 3, 5] }
-- input { [1] } output { empty([0]i32) [1] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) }

def main (xs: []i32): ([]i32, []i32) = partition (\x -> x % 2 == 0) xs
