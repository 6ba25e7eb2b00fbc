-- Run-length encoding and back.
-- ==
-- input { [7, 7, 7, 1, 1, 7] } output { [7, 1, 7] [3i64, 2, 1] true }
-- input { [5] } output { [5] [1i64] true }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i64) true }

def main [n] (xs: [n]i32): ([]i32, []i64, bool) =
  let [k] (starts: [k]i64) =
    filter (\i -> i == 0 || xs[i] != xs[i - 1]) (iota n)
  let values = map (\i -> xs[i]) starts
  let lengths =
    map (\j -> (if j == k - 1 then n else starts[j + 1]) - starts[j]) (iota k)
  let back =
    loop acc = [] for (v, l) in zip values lengths do acc ++ replicate l v
  in (values, lengths, length back == n && and (map2 (==) xs (back :> [n]i32)))
