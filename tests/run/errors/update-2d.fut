-- An update of a row and of an element out of bounds.
-- ==
-- input { [[1, 2], [3, 4]] 1i64 1i64 } output { [[1, 2], [0, 9]] }
-- input { [[1, 2], [3, 4]] 2i64 1i64 } error: out of bounds
-- input { [[1, 2], [3, 4]] 1i64 2i64 } error: out of bounds

def main [n] [m] (xss: *[n][m]i32) (i: i64) (j: i64): [n][m]i32 =
  let xss[i] = replicate m 0
  in xss with [i, j] = 9
