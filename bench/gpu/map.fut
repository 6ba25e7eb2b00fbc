-- A polynomial of every number, and a sum of two vectors.
-- work "1M": 0.01258291 GB
-- work "64M": 0.80530637 GB
-- ==
-- "tiny" nobench input { 2f32 [1f32, 2f32, -3f32] [10f32, 20f32, 30f32] } output { [13f32, 28f32, 33f32] }
-- "1M" compiled script input { vectors 1048576i64 }
-- "64M" compiled script input { vectors 67108864i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry vectors (n: i64): (f32, [n]f32, [n]f32) =
  (0.5, tabulate n value, tabulate n (\i -> value (i + 7)))

entry main [n] (a: f32) (xs: [n]f32) (ys: [n]f32): [n]f32 =
  map2 (\x y -> (x + a) * x + y) xs ys
