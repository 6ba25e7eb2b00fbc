-- Sums of neighbours with weights: of one long signal, and of many short ones.
-- work "1M, 5 weights": 0.01048572 GFLOP
-- work "64M, 5 weights": 0.67108860 GFLOP
-- work "4M, 101 weights": 0.84722880 GFLOP
-- work "1024 of 1024, 17 weights": 0.03509453 GFLOP
-- work "64K of 1024, 17 weights": 2.24604979 GFLOP
-- ==
-- entry: main
-- "tiny" nobench input { [1f32, 0f32, -2f32] [5f32, 4f32, 3f32, 2f32, 7f32] } output { [-1f32, 0f32, -11f32] }
-- "1M, 5 weights" compiled script input { signal 5i64 1048576i64 }
-- "64M, 5 weights" compiled script input { signal 5i64 67108864i64 }
-- "4M, 101 weights" compiled script input { signal 101i64 4194304i64 }

-- ==
-- entry: batch
-- "tiny" nobench input { [1f32, -1f32] [[5f32, 4f32, 3f32], [2f32, 7f32, 0f32]] } output { [[1f32, 1f32], [-5f32, 7f32]] }
-- "1024 of 1024, 17 weights" compiled script input { signals 17i64 1024i64 1024i64 }
-- "64K of 1024, 17 weights" compiled script input { signals 17i64 65536i64 1024i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry signal (k: i64) (n: i64): ([k]f32, [n]f32) =
  (tabulate k (\i -> value (i + 7)), tabulate n value)

entry signals (k: i64) (m: i64) (n: i64): ([k]f32, [m][n]f32) =
  (tabulate k (\i -> value (i + 7)),
   tabulate_2d m n (\i j -> value (i * n + j)))

def convolve [k] [n] (weights: [k]f32) (xs: [n]f32): [n - k + 1]f32 =
  tabulate (n - k + 1) (\i -> f32.sum (map2 (*) weights (take k (drop i xs))))

entry main [k] [n] (weights: [k]f32) (xs: [n]f32): []f32 = convolve weights xs

entry batch [k] [m] [n] (weights: [k]f32) (xss: [m][n]f32): [][]f32 =
  let at xs i = loop sum = 0 for j < k do sum + weights[j] * xs[i + j]
  in map (\xs -> tabulate (n - k + 1) (at xs)) xss
