-- One or two long rows: parallelism is to be found inside them.
-- ==
-- entry: sums
-- "tiny" nobench input { [[1f32, 2f32, 3f32], [4f32, 5f32, 6f32]] } output { [14f32, 77f32] }
-- "1 by 10M" compiled random input { [1][10000000]f32 }
-- "2 by 10M" compiled random input { [2][10000000]f32 }

-- ==
-- entry: elements
-- "tiny" nobench input { [[0f32, 2f32, 3f32], [0f32, 0.5f32, 1f32]] }
-- output { [[1f32, 0.17647059f32, 0.093023256f32], [1f32, 0.63157895f32, 0.4f32]] }
-- "1 by 10M" compiled random input { [1][10000000]f32 }
-- "2 by 10M" compiled random input { [2][10000000]f32 }

-- ==
-- entry: prefixes
-- "tiny" nobench input { [[1, 2, 3], [4, 5, 6]] } output { [[1, 3, 6], [4, 9, 15]] }
-- "1 by 10M" compiled random input { [1][10000000]i32 }
-- "2 by 10M" compiled random input { [2][10000000]i32 }

entry sums [n] [m] (xss: [n][m]f32): [n]f32 = map (\xs -> f32.sum (map (\x -> x * x) xs)) xss

entry elements [n] [m] (xss: [n][m]f32): [n][m]f32 = map (map (\x -> (1 + x) / (1 + x * (2 + x * (1 + x))))) xss

entry prefixes [n] [m] (xss: [n][m]i32): [n][m]i32 = map (scan (+) 0) xss
