-- Two steps of a stencil over three dimensions, whose edges are found by branches on the indices of each of them.
-- ==
-- input { 1i64 1i64 1i64 } output { 0i64 }
-- input { 3i64 3i64 3i64 } output { 165354i64 }
-- input { 5i64 0i64 4i64 } output { 0i64 }
-- input { 4i64 5i64 7i64 } output { 16257639i64 }
-- input { 2i64 9i64 3i64 } output { 694254i64 }
-- input { 13i64 17i64 11i64 } output { 1211945846i64 }
-- input { 70i64 60i64 50i64 } output { 170183698928i64 }
-- input { 3i64 2i64 40000i64 } output { 6167911041i64 }

def step [n] [m] [p] (a: [n][m][p]i64): [n][m][p]i64 =
  tabulate_3d n m p (\i j k ->
    if i == 0 || i == n - 1 || j == 0 || j == m - 1 || k == 0 || k == p - 1
    then a[i, j, k]
    else
      a[i, j, k] * 2 - a[i - 1, j, k] + 3 * a[i + 1, j, k] - a[i, j - 1, k] * 5
      + a[i, j + 1, k]
      - a[i, j, k - 1] * 7 + a[i, j, k + 1])

def main (n: i64) (m: i64) (p: i64): i64 =
  let a = tabulate_3d n m p (\i j k -> ((i * m + j) * p + k) * 31 % 1009)
  let weights = map (\q -> q % 101 + 1) (iota (n * m * p))
  in i64.sum (map2 (*) weights (flatten_3d (step (step a))))
