-- Rows are written, a fixed number of times, into the block in which another array follows them.
-- ==
-- entry: fixed
-- input { 3 [0i64, 0i64] } output { [[3, 3], [3, 3], [3, 3], [3, 3], [3, 3]] }
-- input { 3 empty([0]i64) } output { empty([5][0]i32) }

-- ==
-- entry: any
-- input { 3 [0i64, 0i64] 2i64 } output { [[0, 3], [1, 4], [3, 3]] }
-- input { 3 [0i64, 0i64] 0i64 } output { [[3, 3]] }

-- ==
-- entry: between
-- input { 3 [0i64, 0i64] } output { [[3, 3], [0, 0], [1, 1], [2, 2], [3, 3]] }

entry fixed [n] (x: i32) (_: [n]i64): [][n]i32 =
  let r = replicate n x
  let a = loop a = copy [r, r, r, r] for i < 4i64 do a with [i] = r
  in a ++ [r]

entry any [n] (x: i32) (_: [n]i64) (k: i64): [][n]i32 =
  let r = replicate n x
  let a =
    loop a = replicate k r for i < k do
      a with [i] = map (\j -> i32.i64 (i + 3 * j)) (iota n)
  in a ++ [r]

entry between [n] (x: i32) (_: [n]i64): [][n]i32 =
  let r = replicate n x
  let a =
    loop a = replicate 3 r for i < 3i64 do a with [i] = replicate n (i32.i64 i)
  in [r] ++ a ++ [r]
