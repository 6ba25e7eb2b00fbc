-- A one-dimensional convolution with borders of zero.
-- ==
-- input { [1, 2, 3, 4] [1, 0, -1] } output { [2, 2, 2, -3] }
-- input { [5] [2] } output { [10] }
-- input { empty([0]i32) [1, 2, 3] } output { empty([0]i32) }

def main [n] [k] (xs: [n]i32) (w: [k]i32): [n]i32 =
  let at i = if i < 0 || i >= n then 0 else xs[i]
  in map (\i -> i32.sum (map2 (\j c -> c * at (i + k / 2 - j)) (iota k) w))
         (iota n)
