-- The even ones of some numbers, about half of them.
-- work "1M": 0.00629146 GB
-- work "64M": 0.40265318 GB
-- work "128M": 0.80530637 GB
-- ==
-- "tiny" nobench input { [1, 2, -4, 7, 10] } output { [2, -4, 10] }
-- "1M" compiled script input { numbers 1048576i64 }
-- "64M" compiled script input { numbers 67108864i64 }
-- "128M" compiled script input { numbers 134217728i64 }

entry numbers (n: i64): [n]i32 =
  tabulate n (\i -> i32.u32 ((u32.i64 i * 2654435761u32) >> 8))

entry main (xs: []i32) = filter (\x -> x % 2 == 0) xs
