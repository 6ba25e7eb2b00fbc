-- A row of a matrix without columns is an empty array.
-- ==
-- input { empty([2][0]i32) 1i64 } output { empty([0]i32) empty([1][0]i32) }
-- input { empty([2][0]i32) 2i64 } error: out of bounds
-- input { empty([0][2]i32) 0i64 } error: out of bounds

def main [n] [m] (xss: [n][m]i32) (i: i64): ([m]i32, [][m]i32) =
  (xss[i], xss[i:i + 1])
