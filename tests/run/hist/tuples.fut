-- A histogram of tuples: sum and count, to make averages.
-- ==
-- input { [0i64, 1, 0, 0] [1.0, 5.0, 2.0, 6.0] } output { [3.0, 5.0] [3, 1] }
-- input { empty([0]i64) empty([0]f64) } output { [0.0, 0.0] [0, 0] }
-- input { [0i64, 1, 0, 1, 0, 1, 0, 1, 5] [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0] } output { [4.0, 5.0] [4, 4] }

def main [n] (is: [n]i64) (vs: [n]f64): ([2]f64, [2]i32) =
  let (sums, counts) =
    unzip (hist (\(a, b) (c, d) -> (a + c, b + d)) (0, 0) 2 is
                (map (\v -> (v, 1)) vs))
  in (map2 (\s c -> if c == 0 then 0 else s / f64.i32 c) sums counts, counts)
