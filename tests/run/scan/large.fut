-- Prefix sums of many numbers.
-- ==
-- input { 100000i64 } output { 4999950000i64 5050i64 166666666650000i64 }

def main (n: i64): (i64, i64, i64) =
  let s = scan (+) 0 (iota n)
  in (s[n - 1], s[100], i64.sum s)
