-- Arrays of nested tuples, indexed and projected.
-- ==
-- input { [1, 2, 3] 1i64 } output { 2 3 4 [1, 2, 3] }
-- input { [5] 0i64 } output { 5 6 10 [5] }
-- input { empty([0]i32) 0i64 } error: out of bounds

def main [n] (xs: [n]i32) (i: i64): (i32, i32, i32, [n]i32) =
  let ts = map (\x -> (x, (x + 1, 2 * x))) xs
  let (a, (b, _)) = ts[i]
  in (a, b, ts[i].1 .1, map (.0) ts)
