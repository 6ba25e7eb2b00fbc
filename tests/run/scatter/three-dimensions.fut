-- scatter_3d.
-- ==
-- input { [0i64, 1, 1] [0i64, 1, 0] [0i64, 1, 2] [1, 2, 3] } output { [[[1, 0], [0, 0]], [[0, 0], [0, 2]]] }
-- input { empty([0]i64) empty([0]i64) empty([0]i64) empty([0]i32) } output { [[[0, 0], [0, 0]], [[0, 0], [0, 0]]] }

def main [l] (is: [l]i64) (js: [l]i64) (ks: [l]i64) (vs: [l]i32): [2][2][2]i32 =
  scatter_3d (replicate 2 (replicate 2 (replicate 2 0))) (zip3 is js ks) vs
