-- Entry points that return their parameters unchanged, also twice.
-- ==
-- input { [1, 2] 3 } output { [1, 2] [1, 2] 3 }
-- input { empty([0]i32) 0 } output { empty([0]i32) empty([0]i32) 0 }

def main [n] (xs: [n]i32) (x: i32): ([n]i32, [n]i32, i32) = (xs, xs, x)
