-- A histogram of each row: in parallel, and by a loop in each thread.
-- work "1024 by 1024": 0.00108134 GB
-- work "16384 by 16384": 0.26895974 GB
-- ==
-- entry: parallel loops
-- "tiny" nobench input { [[0u8, 1u8, 255u8, 1u8], [7u8, 7u8, 7u8, 6u8]] }
-- output { [[1, 2, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0, 1, 3]] }
-- "1024 by 1024" compiled script input { rows 1024i64 1024i64 }
-- "16384 by 16384" compiled script input { rows 16384i64 16384i64 }

entry rows (n: i64) (m: i64): [n][m]u8 =
  tabulate_2d n m (\i j -> u8.u32 ((u32.i64 (i * m + j) * 2654435761u32) >> 13))

def bin (x: u8): i64 = i64.u8 (x & 7)

entry parallel [n] [m] (xss: [n][m]u8): [n][8]i32 =
  map (\xs -> hist (+) 0 8 (map bin xs) (replicate m 1)) xss

entry loops [n] [m] (xss: [n][m]u8): [n][8]i32 =
  map (\xs ->
         loop counts = replicate 8 0 for x in xs do
           let b = bin x in counts with [b] = counts[b] + 1)
      xss
