-- The result of a reduction is an array of as many elements as there were arrays, and a map goes over it.
-- ==
-- entry: alone
-- input { [[1, 2], [3, 4]] } output { [8, 12] }

-- ==
-- entry: beside
-- input { [[1, 2], [3, 4]] } output { 10 [5, 7] }

-- ==
-- entry: after_a_scan
-- input { [[1, 2], [3, 4]] } output { [1, 4] [5, 7] }

def sums [n] (xss: [n][n]i32) = reduce (map2 (+)) (replicate n 0) xss

entry alone [n] (xss: [n][n]i32) = map (* 2) (sums xss)

entry beside [n] (xss: [n][n]i32) =
  let (s, v) =
    reduce (\(a, x) (b, y) -> (a + b, map2 (+) x y)) (0, replicate n 0)
           (map (\xs -> (i32.sum xs, xs)) xss)
  in (s, map (+ 1) v)

entry after_a_scan [n] (xss: [n][n]i32) =
  let firsts = scan (+) 0 (map (\xs -> xs[0]) xss)
  in (firsts, map (+ 1) (sums xss))
