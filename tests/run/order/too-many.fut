-- A size that is too large for a number is an error, also where no array of that size is ever made. Where one is made,
-- there is not enough memory for its parts.
-- ==
-- entry: joined
-- input { 3i64 } output { 6i64 }
-- input { 4611686018427387904i64 } error: too many elements|out of memory

-- ==
-- entry: joined_last
-- input { 1i64 } output { 4i64 }
-- input { 2305843009213693952i64 } error: too many elements|out of memory

-- ==
-- entry: joined_pairs
-- input { 5i64 } output { 10i64 }
-- input { 4611686018427387904i64 } error: too many elements|out of memory

-- ==
-- entry: flat
-- input { 3i64 4i64 } output { 12i64 }
-- input { 8i64 2305843009213693952i64 } error: too many elements|out of memory
-- input { 5i64 2305843009213693952i64 } error: too many elements|out of memory

-- ==
-- entry: flat_twice
-- input { 2i64 2i64 } output { 8i64 }
-- input { 2i64 2305843009213693952i64 } error: too many elements|out of memory

-- ==
-- entry: flat_mapped
-- input { 3i64 3i64 } output { 18i64 }
-- input { 2305843009213693952i64 8i64 } error: too many elements|out of memory

-- ==
-- entry: in_map
-- input { [1i64, 2i64] } output { [2i64, 4i64] }
-- input { [1i64, 4611686018427387904i64] } error: too many elements|out of memory

-- ==
-- entry: in_branch
-- input { true 4611686018427387904i64 } error: too many elements|out of memory
-- input { false 4611686018427387904i64 } output { 0i64 }

-- ==
-- entry: up_to
-- input { 1i64 3i64 } output { 3i64 }
-- input { 0i64 9223372036854775807i64 } error: is invalid
-- input { -9223372036854775808i64 9223372036854775807i64 } error: is invalid

-- ==
-- entry: by_steps
-- input { 0i64 2i64 7i64 } output { 4i64 }
-- input { -9223372036854775808i64 -9223372036854775807i64 9223372036854775807i64 } error: is invalid
-- input { 9223372036854775807i64 9223372036854775806i64 -9223372036854775808i64 } error: is invalid
-- input { 0i64 -1i64 -9223372036854775808i64 } error: is invalid

entry joined (n: i64) = length (iota n ++ iota n)
entry joined_last (n: i64) = length (iota n ++ iota n ++ iota n ++ iota n)
entry joined_pairs (n: i64) =
  length (zip (iota n) (replicate n 1i32) ++ zip (iota n) (replicate n 2i32))
entry flat (n: i64) (m: i64) = length (flatten (replicate n (replicate m 0i32)))
entry flat_twice (n: i64) (m: i64) =
  length (flatten_3d (replicate n (replicate n (replicate m 0i64))))
entry flat_mapped (n: i64) (m: i64) =
  i64.sum (flatten (tabulate_2d n m (\i j -> i + j)))
entry in_map (ns: []i64) = map (\n -> length (iota n ++ iota n)) ns
entry in_branch (b: bool) (n: i64) = if b then length (iota n ++ iota n) else 0
entry up_to (a: i64) (b: i64) = length (a...b)
entry by_steps (a: i64) (b: i64) (c: i64) = length (a..b...c)
