-- Nested loops.
-- ==
-- input { 4i64 } output { [[0i64, 0, 0, 0], [0i64, 1, 2, 3], [0i64, 2, 4, 6], [0i64, 3, 6, 9]] }
-- input { 1i64 } output { [[0i64]] }
-- input { 0i64 } output { empty([0][0]i64) }

def main (n: i64): [n][n]i64 =
  loop a = replicate n (replicate n 0) for i < n do
    loop a for j < n do
      a with [i, j] = i * j
