-- The knapsack problem by dynamic programming.
-- ==
-- input { [1i64, 3, 4, 5] [1, 4, 5, 7] 7i64 } output { 9 }
-- input { [10i64] [100] 5i64 } output { 0 }
-- input { empty([0]i64) empty([0]i32) 5i64 } output { 0 }

def main [n] (weights: [n]i64) (values: [n]i32) (capacity: i64): i32 =
  let best =
    loop best = replicate (capacity + 1) 0 for (w, v) in zip weights values do
      map (\c -> if c < w then best[c] else i32.max best[c] (best[c - w] + v))
          (iota (capacity + 1))
  in last best
