-- The numbers below a bound, and the others, in their order.
-- work "1M": 0.00838861 GB
-- work "64M": 0.53687091 GB
-- ==
-- "tiny" nobench input { 3f32 [1f32, 5f32, 2f32, 3f32, -1f32] } output { [1f32, 2f32, -1f32] [5f32, 3f32] }
-- "1M" compiled script input { numbers 1048576i64 }
-- "64M" compiled script input { numbers 67108864i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry numbers (n: i64): (f32, [n]f32) = (0.3, tabulate n value)

entry main (bound: f32) (xs: []f32): ([]f32, []f32) = partition (< bound) xs
