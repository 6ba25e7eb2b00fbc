-- The greatest number, and the first place where it is.
-- work "1M": 0.00419430 GB
-- work "64M": 0.26843546 GB
-- ==
-- "tiny" nobench input { [3f32, 7f32, 5f32, 7f32] } output { 1i64 7f32 }
-- "1M" compiled script input { numbers 1048576i64 }
-- "64M" compiled script input { numbers 67108864i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry numbers (n: i64): [n]f32 = tabulate n value

def argmax [n] (xs: [n]f32): (i64, f32) =
  let max (i, x) (j, y) =
    if x > y then (i, x)
    else if y > x then (j, y)
    else (i64.min i j, x)
  in reduce_comm max (i64.highest, -f32.inf) (zip (indices xs) xs)

entry main (xs: []f32) = argmax xs
