-- reduce_by_index_2d.
-- ==
-- input { [[1, 2], [3, 4]] [0i64, 1, 0, 2] [1i64, 0, 1, 0] [10, 20, 30, 40] } output { [[1, 42], [23, 4]] }
-- input { [[1, 2], [3, 4]] empty([0]i64) empty([0]i64) empty([0]i32) } output { [[1, 2], [3, 4]] }

def main [k] [m] [n] (dest: *[k][m]i32) (is: [n]i64) (js: [n]i64) (vs: [n]i32): [k][m]i32 =
  reduce_by_index_2d dest (+) 0 (zip is js) vs
