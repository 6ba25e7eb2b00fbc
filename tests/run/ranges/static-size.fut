-- Ranges whose size is known statically.
-- ==
-- input { 3i64 } output { [0i64, 2, 4] [0i64, 1, 2] [1i64, 2, 3] }
-- input { 1i64 } output { [0i64] [0i64] [1i64] }
-- input { 0i64 } error: 1..2...0

def main (n: i64): ([n]i64, [n]i64, [n]i64) =
  (map2 (+) (0..<n) (0..1..<n), 0..<n, 1..2...n)
