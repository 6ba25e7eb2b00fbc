-- The sum of what numbers are without their signs.
-- work "1M": 0.00419430 GB
-- work "64M": 0.26843546 GB
-- ==
-- "tiny" nobench input { [1f32, -2f32, 3.5f32, -4f32] } output { 10.5f32 }
-- "tiny, none" nobench input { empty([0]f32) } output { 0f32 }
-- "1M" compiled script input { vector 1048576i64 }
-- "64M" compiled script input { vector 67108864i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry vector (n: i64): [n]f32 = tabulate n (\i -> value i - 0.5)

entry main (xs: []f32): f32 = reduce (+) 0 (map f32.abs xs)
