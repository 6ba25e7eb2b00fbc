-- The least of each prefix.
-- work "1M": 0.00838861 GB
-- work "64M": 0.53687091 GB
-- ==
-- "tiny" nobench input { [5f32, 7f32, 3f32, 4f32, -1f32, 0f32] } output { [5f32, 5f32, 3f32, 3f32, -1f32, -1f32] }
-- "1M" compiled script input { numbers 1048576i64 }
-- "64M" compiled script input { numbers 67108864i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

-- They become smaller, so that the least changes all the time.
entry numbers (n: i64): [n]f32 =
  tabulate n (\i -> value i * (2 - f32.i64 i / f32.i64 n))

entry main (xs: []f32) = scan f32.min f32.inf xs
