-- Compaction by prefix sums and scatter, which is what filter does.
-- ==
-- input { [5, -1, 7, -2] } output { [5, 7] }
-- input { [-1] } output { empty([0]i32) }
-- input { empty([0]i32) } output { empty([0]i32) }

def main [n] (xs: [n]i32): []i32 =
  let keep = map (\x -> i64.bool (x > 0)) xs
  let offsets = scan (+) 0 keep
  let total = if n == 0 then 0 else offsets[n - 1]
  in scatter (replicate total 0)
             (map2 (\k o -> if k == 1 then o - 1 else -1) keep offsets) xs
