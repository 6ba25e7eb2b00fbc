-- Binary search of many keys in a sorted array.
-- ==
-- input { [1, 3, 5, 7, 9] [0, 1, 4, 9, 10] } output { [0i64, 0, 2, 4, 5] }
-- input { empty([0]i32) [1] } output { [0i64] }

def main [n] [m] (xs: [n]i32) (keys: [m]i32): [m]i64 =
  map (\k ->
         let (lo, _) =
           loop (lo, hi) = (0, n) while lo < hi do
             let mid = (lo + hi) / 2
             in if xs[mid] < k then (mid + 1, hi) else (lo, mid)
         in lo)
      keys
