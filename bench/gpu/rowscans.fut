-- Sums of the prefixes of each row.
-- work "1024 by 1024": 0.00838861 GB
-- work "128K by 1024": 1.07374182 GB
-- work "1M by 32": 0.26843546 GB
-- ==
-- "tiny" nobench input { [[1, 2, 3], [-4, 5, -6]] } output { [[1, 3, 6], [-4, 1, -5]] }
-- "1024 by 1024" compiled script input { matrix 1024i64 1024i64 }
-- "128K by 1024" compiled script input { matrix 131072i64 1024i64 }
-- "1M by 32" compiled script input { matrix 1048576i64 32i64 }

entry matrix (n: i64) (m: i64): [n][m]i32 =
  tabulate_2d n m (\i j ->
                     i32.u32 ((u32.i64 (i * m + j) * 2654435761u32) >> 8)
                     - 8388608)

entry main (xss: [][]i32) = map (\xs -> scan (+) 0 xs) xss
