-- Shortest ways between all places: a product of minima of sums, and the loop of Floyd and Warshall.
-- work "256": 0.03355443 GFLOP
-- work "512": 0.26843546 GFLOP
-- work "1024": 2.14748365 GFLOP
-- ==
-- entry: square
-- "tiny" nobench input { [[0f32, 1f32, 9f32], [9f32, 0f32, 2f32], [3f32, 9f32, 0f32]] } output { [[0f32, 1f32, 3f32], [5f32, 0f32, 2f32], [3f32, 4f32, 0f32]] }
-- "256" compiled script input { ways 256i64 }
-- "1024" compiled script input { ways 1024i64 }

-- ==
-- entry: warshall
-- "tiny" nobench input { [[0f32, 1f32, 9f32, 9f32], [9f32, 0f32, 2f32, 9f32], [9f32, 9f32, 0f32, 1f32], [1f32, 9f32, 9f32, 0f32]] }
-- output { [[0f32, 1f32, 3f32, 4f32], [4f32, 0f32, 2f32, 3f32], [2f32, 3f32, 0f32, 1f32], [1f32, 2f32, 4f32, 0f32]] }
-- "512" compiled script input { ways 512i64 }
-- "1024" compiled script input { ways 1024i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry ways (n: i64): [n][n]f32 =
  tabulate_2d n n (\i j -> if i == j then 0 else 1 + 100 * value (i * n + j))

entry square [n] (a: [n][n]f32): [n][n]f32 =
  map (\row -> map (\column -> f32.minimum (map2 (+) row column)) (transpose a))
      a

entry warshall [n] (a: [n][n]f32): [n][n]f32 =
  loop a for k < n do
    tabulate_2d n n (\i j -> f32.min a[i, j] (a[i, k] + a[k, j]))
