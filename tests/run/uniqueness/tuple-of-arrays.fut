-- A loop over two unique arrays that are updated alternately.
-- ==
-- input { 4i64 } output { [0i64, 1, 2, 3] [0i64, 2, 4, 6] }
-- input { 0i64 } output { empty([0]i64) empty([0]i64) }

def main (n: i64): ([n]i64, [n]i64) =
  loop (a, b) = (replicate n 0, replicate n 0) for i < n do
    (a with [i] = i, b with [i] = 2 * i)
