-- One branch yields an array twice. What becomes of one of the two does not change the other, wherever they are made.

def two (c: bool) (n: i64): ([n]i32, [n]i32) =
  if c
  then (map i32.i64 (iota n), map (\i -> 2 * i32.i64 i) (iota n))
  else let z = map (\i -> 5 + i32.i64 i) (iota n) in (z, z)

-- ==
-- entry: copied
-- input { true 3i64 } output { [10, 1, 2] [0, 2, 4] }
-- input { false 3i64 } output { [10, 6, 7] [5, 6, 7] }
entry copied (c: bool) (n: i64): ([n]i32, [n]i32) =
  let (a, b) = two c n
  in (copy a with [0] = 10, b)

-- ==
-- entry: both
-- input { true 3i64 } output { [10, 1, 2] [0, 20, 4] }
-- input { false 3i64 } output { [10, 6, 7] [5, 20, 7] }
entry both (c: bool) (n: i64): ([n]i32, [n]i32) =
  let (a, b) = two c n
  in (copy a with [0] = 10, copy b with [1] = 20)

-- ==
-- entry: row
-- input { true 2i64 } output { [[10, 1], [9, 9]] [0, 2] }
-- input { false 2i64 } output { [[10, 6], [9, 9]] [5, 6] }
entry row (c: bool) (n: i64): ([2][n]i32, [n]i32) =
  let (a, b) = two c n
  let rows = replicate 2 (replicate n 9)
  in ((rows with [0] = a) with [0, 0] = 10, b)

-- ==
-- entry: joined
-- input { true 2i64 } output { [10, 1, 0, 2] [0, 2] }
-- input { false 2i64 } output { [10, 6, 5, 6] [5, 6] }
entry joined (c: bool) (n: i64): ([n + n]i32, [n]i32) =
  let (a, b) = two c n
  in ((a ++ b) with [0] = 10, b)

-- ==
-- entry: sums
-- input { 0i32 } output { [1u8, 0u8] [0u8, 0u8] }
-- input { 1i32 } output { [1u8, 7u8] [1u8, 7u8] }
-- input { 2i32 } output { [1u8, 9u8] [8u8, 9u8] }
entry sums (k: i32): ([2]u8, [2]u8) =
  let (a, b) =
    match k
    case 0 -> let z = replicate 2 0u8 in (z, z)
    case 1 -> let z = [1u8, 7u8] in let y = z[::-1] in (y[::-1], z)
    case _ -> ([3u8, 9u8], [8u8, 9u8])
  in (copy a with [0] = 1, b)
