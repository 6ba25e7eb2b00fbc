-- Two parameters with one size: arguments with different sizes are an error at the entry point.
-- ==
-- input { [1, 2] [3, 4] } output { 11 }
-- input { empty([0]i32) empty([0]i32) } output { 0 }
-- input { [1, 2] [3] } error: .

def main [n] (xs: [n]i32) (ys: [n]i32): i32 = i32.sum (map2 (*) xs ys)
