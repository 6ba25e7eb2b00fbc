-- An index out of bounds inside a reduction and a scan.
-- ==
-- input { [1, 2, 3] [0i64, 1] } output { 3 [1, 3] }
-- input { [1, 2, 3] [0i64, 7] } error: out of bounds

def main [n] (xs: []i32) (is: [n]i64): (i32, [n]i32) =
  (reduce (+) 0 (map (\i -> xs[i]) is), scan (+) 0 (map (\i -> xs[i]) is))
