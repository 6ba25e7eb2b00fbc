-- Updates of elements, rows and planes of an array of rank 3.
-- ==
-- input { 2i64 } output { [[[0i64, 9], [5i64, 5]], [[7i64, 7], [7i64, 7]]] }

def main (n: i64): [n][n][n]i64 =
  let a = replicate n (replicate n (replicate n 0))
  let a[0, 0, 1] = 9
  let a[0, 1] = replicate n 5
  in a with [1] = replicate n (replicate n 7)
