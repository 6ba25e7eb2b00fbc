-- Sizes whose bytes are more than any number of 64 bits are no small blocks.
-- ==
-- tags { no_peer }
-- entry: vector
-- input { 3i64 } output { [0i32, 0i32, 1i32] }
-- input { 4611686018427387904i64 } error: [Oo]ut of memory
-- input { 9223372036854775807i64 } error: [Oo]ut of memory
entry vector (n: i64): *[n]i32 = replicate n 0 with [n - 1] = 1

-- ==
-- entry: matrix
-- input { 2i64 } output { [[0i64, 1i64], [1i64, 0i64]] }
-- input { 1099511627776i64 } error: [Oo]ut of memory
-- input { 4294967296i64 } error: [Oo]ut of memory
entry matrix (n: i64): [n][n]i64 = tabulate_2d n n (\i j -> i ^ j)
