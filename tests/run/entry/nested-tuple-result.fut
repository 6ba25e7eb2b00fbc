-- A result that is a tuple of scalars and arrays is unpacked.
-- ==
-- input { 2i64 } output { 2i64 [0i64, 1] [[0i64, 0], [0i64, 0]] true }
-- input { 0i64 } output { 0i64 empty([0]i64) empty([0][0]i64) true }

def main (n: i64): (i64, [n]i64, [n][n]i64, bool) =
  (n, iota n, replicate n (replicate n 0), n >= 0)
