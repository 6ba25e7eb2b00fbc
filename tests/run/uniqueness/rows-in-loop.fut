-- A matrix whose rows are updated one by one with values of the row before.
-- ==
-- input { 3i64 } output { [[1i64, 1, 1], [2i64, 2, 2], [4i64, 4, 4]] }
-- input { 1i64 } output { [[1i64]] }

def main (n: i64): [n][n]i64 =
  loop a = replicate n (replicate n 1) for i in 1..<n do
    let row = map (* 2) a[i - 1]
    in a with [i] = row
