-- One operation, done several times over, since a clock cannot time a short array once. Each time depends on the one before.
-- ==
-- entry: maps
-- "tiny" nobench input { 2i64 [1f32, 2f32, 4f32] } output { [1.75f32, 2f32, 2.5f32] }

-- ==
-- entry: reductions
-- "tiny" nobench input { 2i64 [1, 2, 4] } output { 14 }

-- ==
-- entry: scans
-- "tiny" nobench input { 2i64 [1, 2, 4] } output { [1, 4, 11] }

entry maps [n] (times: i64) (xs: [n]f32): [n]f32 =
  loop xs for _i < times do map (\x -> 0.5 * x + 1) xs

entry reductions [n] (times: i64) (xs: [n]i32): i32 =
  loop sum = 0 for _i < times do i32.sum (map (^ sum) xs)

entry scans [n] (times: i64) (xs: [n]i32): [n]i32 =
  loop xs for _i < times do scan (+) 0 xs
