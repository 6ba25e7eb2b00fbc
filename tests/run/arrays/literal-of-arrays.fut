-- An array literal whose elements are arrays of a size known only at run time.
-- ==
-- input { [1, 2, 3] } output { [[1, 2, 3], [2, 3, 4], [3, 2, 1]] }
-- input { empty([0]i32) } output { empty([3][0]i32) }

def main [n] (xs: [n]i32): [3][n]i32 = [xs, map (+ 1) xs, reverse xs]
