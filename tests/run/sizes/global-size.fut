-- Sizes that are global constants.
-- ==
-- input { [1, 2, 3, 4] } output { [[1, 2], [3, 4]] 10 }
-- input { [1, 2] } error: .

def n: i64 = 2
def total (xs: [n * n]i32): i32 = i32.sum xs
def main (xs: [n * n]i32): ([n][n]i32, i32) = (unflatten xs, total xs)
