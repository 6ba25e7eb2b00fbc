-- Rows that are all the same, also where they are parts of a larger array, on host code of devices as well.
-- ==
-- entry: rows
-- input { 3i64 [1, 2, 3, 4, 5] } output { [[1, 2, 3, 4, 5], [1, 2, 3, 4, 5], [1, 2, 3, 4, 5]] }
-- input { 0i64 [1, 2] } output { empty([0][2]i32) }
-- input { 2i64 empty([0]i32) } output { empty([2][0]i32) }
-- input { 1i64 [7] } output { [[7]] }

-- ==
-- entry: planes
-- input { 2i64 3i64 [[1, 2], [3, 4], [5, 6]] }
-- output { [[[[1, 3, 5], [2, 4, 6]], [[1, 3, 5], [2, 4, 6]], [[1, 3, 5], [2, 4, 6]]],
--           [[[1, 3, 5], [2, 4, 6]], [[1, 3, 5], [2, 4, 6]], [[1, 3, 5], [2, 4, 6]]]] }

-- ==
-- entry: between
-- input { 2i64 [1u8, 2u8, 3u8] } output { [[3u8, 2u8, 1u8], [1u8, 2u8, 3u8], [1u8, 2u8, 3u8], [9u8, 9u8, 9u8]] }

entry rows [n] (m: i64) (xs: [n]i32): [m][n]i32 = replicate m xs
entry planes [n] [k] (a: i64) (b: i64) (xss: [n][k]i32) =
  replicate a (replicate b (transpose xss))
entry between [n] (m: i64) (xs: [n]u8) =
  [reverse xs] ++ replicate m xs ++ [replicate n 9]
