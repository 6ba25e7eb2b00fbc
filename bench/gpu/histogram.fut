-- How many numbers fall into each bin.
-- work "1M, 256 bins": 0.00419430 GB
-- work "64M, 256 bins": 0.26843546 GB
-- work "64M, 8K bins": 0.26843546 GB
-- work "64M, 1M bins": 0.27262976 GB
-- ==
-- "tiny" nobench input { 3i64 [0, 5, 2, 1, 3, 0] } output { [3, 1, 2] }
-- "1M, 256 bins" compiled script input { numbers 256i64 1048576i64 }
-- "64M, 256 bins" compiled script input { numbers 256i64 67108864i64 }
-- "64M, 8K bins" compiled script input { numbers 8192i64 67108864i64 }
-- "64M, 1M bins" compiled script input { numbers 1048576i64 67108864i64 }

entry numbers (bins: i64) (n: i64): (i64, [n]i32) =
  (bins, tabulate n (\i -> i32.u32 ((u32.i64 i * 2654435761u32) >> 8)))

entry main [n] (bins: i64) (xs: [n]i32): [bins]i32 =
  hist (+) 0 bins (map (\x -> i64.i32 x % bins) xs) (replicate n 1)
