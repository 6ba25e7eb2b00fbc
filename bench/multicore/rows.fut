-- One or two long rows: parallelism is to be found inside them. There is enough to compute for each element that threads do
-- not wait for memory.
-- ==
-- entry: sums
-- "tiny" nobench input { [[0f64, 0f64, 0f64], [0f64, 0.8325546111576977f64, 0f64]] } output { [3f64, 2.5f64] }
-- "1 by 10M" compiled random input { [1][10000000]f64 }
-- "2 by 10M" compiled random input { [2][10000000]f64 }

-- ==
-- entry: elements
-- "tiny" nobench input { [[0f32, 0.6931472f32], [-0.6931472f32, 0f32]] } output { [[0.5f32, 0.6666667f32], [0.3333333f32, 0.5f32]] }
-- "1 by 10M" compiled random input { [1][10000000]f32 }
-- "2 by 10M" compiled random input { [2][10000000]f32 }

-- ==
-- entry: prefixes
-- "tiny" nobench input { [[0f64, 0f64, 0f64], [0f64, 0.6931471805599453f64, 0f64]] } output { [[1f64, 2f64, 3f64], [1f64, 1.5f64, 2.5f64]] }
-- "1 by 10M" compiled random input { [1][10000000]f64 }
-- "2 by 10M" compiled random input { [2][10000000]f64 }

entry sums [n] [m] (xss: [n][m]f64): [n]f64 =
  map (\xs -> f64.sum (map (\x -> f64.exp (-x * x)) xs)) xss

entry elements [n] [m] (xss: [n][m]f32): [n][m]f32 =
  map (map (\x -> 1 / (1 + f32.exp (-x)))) xss

entry prefixes [n] [m] (xss: [n][m]f64): [n][m]f64 =
  map (\xs -> scan (+) 0 (map (\x -> f64.exp (-x)) xs)) xss
