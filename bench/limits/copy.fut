-- A plain copy, whose bytes are read and written once: how fast memory can be.
-- work "1M": 0.00838861 GB
-- work "128M": 1.07374182 GB
-- ==
-- "tiny" nobench input { [1f32, 2f32, -3f32] } output { [1f32, 2f32, -3f32] }
-- "1M" compiled script input { vector 1048576i64 }
-- "128M" compiled script input { vector 134217728i64 }

entry vector (n: i64): [n]f32 = tabulate n f32.i64

entry main [n] (xs: [n]f32): *[n]f32 = copy xs
