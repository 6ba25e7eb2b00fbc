-- Sums of prefixes.
-- work "1M": 0.00838861 GB
-- work "64M": 0.53687091 GB
-- work "128M": 1.07374182 GB
-- ==
-- "tiny" nobench input { [1, 2, -3, 10] } output { [1, 3, 0, 10] }
-- "1M" compiled script input { numbers 1048576i64 }
-- "64M" compiled script input { numbers 67108864i64 }
-- "128M" compiled script input { numbers 134217728i64 }

entry numbers (n: i64): [n]i32 =
  tabulate n (\i -> i32.u32 ((u32.i64 i * 2654435761u32) >> 8) - 8388608)

entry main (xs: []i32) = scan (+) 0 xs
