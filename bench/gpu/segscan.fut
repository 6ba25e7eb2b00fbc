-- Sums of prefixes that begin anew at every flag.
-- work "1M": 0.00943718 GB
-- work "64M": 0.60397978 GB
-- ==
-- "tiny" nobench input { [false, false, true, false, true, true] [1f32, 2f32, 3f32, 4f32, 5f32, 6f32] }
-- output { [1f32, 3f32, 3f32, 7f32, 5f32, 6f32] }
-- "1M" compiled script input { segments 1048576i64 }
-- "64M" compiled script input { segments 67108864i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

-- Segments have 64 elements on average.
entry segments (n: i64): ([n]bool, [n]f32) =
  (tabulate n (\i -> value (i + 13) < 0.015625), tabulate n value)

def segmented_scan [n] 't (op: t -> t -> t) (ne: t) (flags: [n]bool) (as: [n]t)
                   : [n]t =
  zip flags as
  |> scan (\(xf, x) (yf, y) -> (xf || yf, if yf then y else op x y)) (false, ne)
  |> map (.1)

entry main [n] (flags: [n]bool) (xs: [n]f32): [n]f32 =
  segmented_scan (+) 0 flags xs
