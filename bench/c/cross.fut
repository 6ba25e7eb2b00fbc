-- The cross products of pairs of vectors, each from rotations of the two.
-- ==
-- "tiny" nobench input { [[1f64, 2f64, 3f64], [0f64, 0f64, 2f64]] [[4f64, 5f64, 6f64], [3f64, 0f64, 0f64]] }
-- output { [[-3f64, 6f64, -3f64], [0f64, 6f64, 0f64]] }
-- "1M" compiled random input { [1000000][3]f64 [1000000][3]f64 }

def cross (a: [3]f64) (b: [3]f64): [3]f64 =
  let turn k (v: [3]f64) = tabulate 3 (\i -> v[(i + k) % 3])
  in map2 (-)
          (map2 (*) (turn 1 a) (turn 2 b))
          (map2 (*) (turn 2 a) (turn 1 b))

entry main [n] (as: [n][3]f64) (bs: [n][3]f64) = map2 cross as bs
