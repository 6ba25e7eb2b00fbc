-- iota and indices.
-- ==
-- input { [9, 9, 9] } output { [0i64, 1, 2] [0i64, 1, 2] [0i64, 1] }
-- input { empty([0]i32) } output { empty([0]i64) empty([0]i64) [0i64, 1] }

def main [n] (xs: [n]i32): ([n]i64, [n]i64, [2]i64) =
  (iota n, indices xs, indices [xs, xs])
