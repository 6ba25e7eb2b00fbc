-- A histogram of many numbers.
-- ==
-- input { 10000i64 7i64 } output { [1429i64, 1429, 1429, 1429, 1428, 1428, 1428] }
-- input { 10i64 1i64 } output { [10i64] }

def main (n: i64) (k: i64): [k]i64 =
  hist (+) 0 k (map (% k) (iota n)) (replicate n 1)
