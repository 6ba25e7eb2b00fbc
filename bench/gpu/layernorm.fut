-- Layer normalisation: every row gets the mean 0 and the variance 1, then a factor and a bias for each column.
-- work "1024 by 768": 0.00629760 GB
-- work "128K by 1024": 1.07375002 GB
-- ==
-- "tiny" nobench input { [1f32, 2f32, 1f32, 1f32] [0f32, 0f32, 10f32, 0f32] [[1f32, 3f32, 1f32, 3f32], [0f32, 2f32, 4f32, 6f32]] }
-- output { [[-0.999995f32, 1.99999f32, 9.000005f32, 0.999995f32], [-1.34164f32, -0.894426f32, 10.447213f32, 1.34164f32]] }
-- "1024 by 768" compiled script input { layer 1024i64 768i64 }
-- "128K by 1024" compiled script input { layer 131072i64 1024i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry layer (n: i64) (m: i64): ([m]f32, [m]f32, [n][m]f32) =
  (tabulate m (\i -> value i + 0.5), tabulate m (\i -> value (i + 7)),
   tabulate_2d n m (\i j -> 4 * value (i * m + j) - 1))

def mean [m] (xs: [m]f32): f32 = f32.sum xs / f32.i64 m

def normalise [m] (xs: [m]f32): [m]f32 =
  let middle = mean xs
  let variance = mean (map (\x -> (x - middle) ** 2) xs)
  in map (\x -> (x - middle) / f32.sqrt (variance + 1e-5)) xs

entry main [n] [m] (factors: [m]f32) (bias: [m]f32) (xss: [n][m]f32)
           : [n][m]f32 =
  map (\xs -> map3 (\x f b -> x * f + b) (normalise xs) factors bias) xss
