-- LU decomposition without pivoting, in place.
-- ==
-- input { [[2.0, 1.0], [4.0, 5.0]] } output { [[2.0, 1.0], [2.0, 3.0]] }
-- input { [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]] }
-- output { [[1.0, 2.0, 3.0], [4.0, -3.0, -6.0], [7.0, 2.0, 1.0]] }
-- input { [[5.0]] } output { [[5.0]] }

def main [n] (a: *[n][n]f64): [n][n]f64 =
  loop a for k < n do
    loop a for i in (if k + 1 < n then k + 1 ..< n else []) do
      let a[i, k] = a[i, k] / a[k, k]
      in loop a for j in k + 1 ..< n do
           a with [i, j] = a[i, j] - a[i, k] * a[k, j]
