-- The greatest number of each bin, and where the greatest number of each bin is.
-- work "1M, 1K bins": 0.00838861 GB
-- work "64M, 1K bins": 0.53687091 GB
-- work "64M, 1M bins": 0.54106522 GB
-- ==
-- entry: maxima
-- "tiny" nobench input { 3i64 [0, 2, 2, 7, 0] [1f32, -5f32, -3f32, 9f32, 4f32] } output { [4f32, -f32.inf, -3f32] }
-- "1M, 1K bins" compiled script input { numbers 1024i64 1048576i64 }
-- "64M, 1K bins" compiled script input { numbers 1024i64 67108864i64 }
-- "64M, 1M bins" compiled script input { numbers 1048576i64 67108864i64 }

-- ==
-- entry: places
-- "tiny" nobench input { 3i64 [0, 2, 2, 7, 0] [1f32, -3f32, -3f32, 9f32, 4f32] } output { [4f32, -f32.inf, -3f32] [4i64, -1i64, 1i64] }
-- "1M, 1K bins" compiled script input { numbers 1024i64 1048576i64 }
-- "64M, 1K bins" compiled script input { numbers 1024i64 67108864i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry numbers (bins: i64) (n: i64): (i64, [n]i32, [n]f32) =
  (bins, tabulate n (\i -> i32.f32 (value (i + 77) * f32.i64 bins)),
   tabulate n value)

entry maxima [n] (bins: i64) (is: [n]i32) (xs: [n]f32): [bins]f32 =
  reduce_by_index (replicate bins (-f32.inf)) f32.max (-f32.inf)
                  (map i64.i32 is) xs

entry places [n] (bins: i64) (is: [n]i32) (xs: [n]f32): ([bins]f32, [bins]i64) =
  let greater (x, i) (y, j): (f32, i64) =
    if x > y then (x, i) else if y > x then (y, j)
    else if i < 0 then (y, j) else if j < 0 then (x, i) else (x, i64.min i j)
  in unzip (hist greater (-f32.inf, -1) bins (map i64.i32 is) (zip xs (iota n)))
