-- reverse and rotate; rotate goes to the left for positive distances.
-- ==
-- input { [1, 2, 3, 4] 1i64 } output { [4, 3, 2, 1] [2, 3, 4, 1] }
-- input { [1, 2, 3, 4] -1i64 } output { [4, 3, 2, 1] [4, 1, 2, 3] }
-- input { [1, 2, 3, 4] 10i64 } output { [4, 3, 2, 1] [3, 4, 1, 2] }
-- input { [1, 2, 3, 4] -9i64 } output { [4, 3, 2, 1] [4, 1, 2, 3] }
-- input { [5] 3i64 } output { [5] [5] }
-- input { empty([0]i32) 0i64 } output { empty([0]i32) empty([0]i32) }

def main [n] (xs: [n]i32) (k: i64): ([n]i32, [n]i32) = (reverse xs, rotate k xs)
