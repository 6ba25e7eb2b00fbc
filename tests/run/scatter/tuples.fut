-- scatter of tuples.
-- ==
-- input { 3i64 [2i64, 0] [1, 2] } output { [2, 0, 1] [4, 0, 2] }
-- input { 0i64 [0i64] [1] } output { empty([0]i32) empty([0]i32) }

def main [n] (k: i64) (is: [n]i64) (vs: [n]i32): ([k]i32, [k]i32) =
  unzip (scatter (replicate k (0, 0)) is (map (\v -> (v, 2 * v)) vs))
