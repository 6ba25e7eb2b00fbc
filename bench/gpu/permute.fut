-- Numbers in another order: each goes to its place, or is fetched from there.
-- work "1M": 0.01677722 GB
-- work "64M": 1.07374182 GB
-- ==
-- entry: put
-- "tiny" nobench input { [2i64, 0i64, 3i64, 1i64] [10f32, 20f32, 30f32, 40f32] } output { [20f32, 40f32, 10f32, 30f32] }
-- "1M" compiled script input { order 20i64 }
-- "64M" compiled script input { order 26i64 }

-- ==
-- entry: fetch
-- "tiny" nobench input { [2i64, 0i64, 3i64, 1i64] [10f32, 20f32, 30f32, 40f32] } output { [30f32, 10f32, 40f32, 20f32] }
-- "1M" compiled script input { order 20i64 }
-- "64M" compiled script input { order 26i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

-- Each step maps the numbers of so many bits to themselves.
def place (bits: i64) (i: i64): i64 =
  let mask = (1 << bits) - 1
  let mix x = let x = x ^ (x >> (bits / 2)) in (x * 2654435761) & mask
  in mix (mix (mix i))

entry order (bits: i64): ([]i64, []f32) =
  let n = 1 << bits
  in (tabulate n (place bits), tabulate n value)

entry put [n] (is: [n]i64) (xs: [n]f32): [n]f32 = scatter (replicate n 0) is xs

entry fetch [n] (is: [n]i64) (xs: [n]f32): [n]f32 = map (\i -> xs[i]) is
