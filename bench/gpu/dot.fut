-- The dot product of two vectors.
-- work "1M": 0.00838861 GB
-- work "64M": 0.53687091 GB
-- ==
-- "tiny" nobench input { [1f32, 2f32, 3f32] [4f32, 5f32, -6f32] } output { -4f32 }
-- "1M" compiled script input { vectors 1048576i64 }
-- "64M" compiled script input { vectors 67108864i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry vectors (n: i64): ([n]f32, [n]f32) =
  (tabulate n value, tabulate n (\i -> value (i + 7)))

entry main [n] (xs: [n]f32) (ys: [n]f32) = f32.sum (map2 (*) xs ys)
