-- The product of two matrices of doubles.
-- work "256": 0.03355443 GFLOP of f64
-- work "4096": 137.438953 GFLOP of f64
-- ==
-- "tiny" nobench input { [[1f64, 2f64], [3f64, 4f64]] [[0f64, 1f64], [10f64, 100f64]] } output { [[20f64, 201f64], [40f64, 403f64]] }
-- "256" compiled script input { matrices 256i64 }
-- "4096" compiled script input { matrices 4096i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f64 = f64.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry matrices (n: i64): ([n][n]f64, [n][n]f64) =
  (tabulate_2d n n (\i j -> value (i * n + j)),
   tabulate_2d n n (\i j -> value (i * n + j + 7)))

entry main [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64): [n][p]f64 =
  tabulate_2d n p (\i j -> f64.sum (map2 (*) a[i, :] b[:, j]))
