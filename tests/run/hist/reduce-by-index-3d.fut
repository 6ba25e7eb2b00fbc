-- reduce_by_index_3d.
-- ==
-- input { [[[1], [2]]] [0i64, 0, 0] [1i64, 0, 1] [0i64, 0, 1] [10, 20, 30] } output { [[[21], [12]]] }
-- input { [[[5]]] [0i64, -1, 0] [0i64, 0, 0] [0i64, 0, 0] [1, 2, 3] } output { [[[9]]] }

def main [k] [m] [l] [n] (dest: *[k][m][l]i32) (is: [n]i64) (js: [n]i64)
         (hs: [n]i64) (vs: [n]i32): [k][m][l]i32 =
  reduce_by_index_3d dest (+) 0 (zip3 is js hs) vs
