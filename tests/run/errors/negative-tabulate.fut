-- tabulate with a negative size, in one and two dimensions.
-- ==
-- input { 1i64 2i64 } output { [[0i64, 1]] }
-- input { 0i64 2i64 } output { empty([0][2]i64) }
-- input { -1i64 2i64 } error: .
-- input { 2i64 -1i64 } error: .
-- input { 4i64 2i64 } output { [[0i64, 1], [1i64, 2], [2i64, 3], [3i64, 4]] }

def main (n: i64) (m: i64): [][]i64 = tabulate_2d n m (\i j -> i + j)
