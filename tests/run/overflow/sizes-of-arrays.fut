-- Arrays whose size is a product that is too large for a number, and wraps around to a small one.
-- ==
-- tags { no_peer }
-- entry: replicated
-- input { 4611686018427387904i64 4i64 } error: [Oo]ut of memory
-- input { 4611686018427387904i64 4611686018427387904i64 } error: [Oo]ut of memory
-- input { 2i64 3i64 } output { [[7u8, 7u8, 7u8], [7u8, 7u8, 7u8]] }

-- ==
-- entry: tabulated
-- input { 4i64 4611686018427387904i64 } error: [Oo]ut of memory
-- input { 2305843009213693952i64 1i64 } error: [Oo]ut of memory
-- input { 0i64 1099511627776i64 } output { empty([0][1099511627776]i64) }
-- input { 2i64 2i64 } output { [[0i64, 1i64], [2i64, 3i64]] }

-- ==
-- entry: counted
-- input { 4611686018427387904i64 } error: [Oo]ut of memory
-- input { 2305843009213693952i64 } error: [Oo]ut of memory
-- input { 3i64 } output { [1, 0, 1] }
-- input { 1i64 } output { [1] }

entry replicated (n: i64) (m: i64): [n][m]u8 = replicate n (replicate m 7)
entry tabulated (n: i64) (m: i64): [n][m]i64 =
  tabulate_2d n m (\i j -> i * m + j)
entry counted (n: i64): [n]i32 = hist (+) 0 n [0, 2] [1, 1]
