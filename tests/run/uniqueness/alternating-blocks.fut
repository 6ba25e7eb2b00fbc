-- A loop that makes arrays in larger blocks than the argument has that it starts with.
-- ==
-- entry: longer
-- input { [1, 2, 3] } output { [7, 7, 1] }
-- input { empty([0]i32) } output { empty([0]i32) }

-- ==
-- entry: same
-- input { [1, 2, 3] } output { [9, 12, 15] }

-- ==
-- entry: rows
-- input { [[1, 2], [3, 4]] } output { [[0, 0], [0, 0]] }
-- input { [[1, 2], [3, 4], [5, 6]] } output { [[0, 0], [0, 0], [1, 2]] }

entry longer [n] (xs: *[n]i32): []i32 =
  let xs = loop xs for i < n do xs with [i] = i32.i64 i + 1
  in loop (ys: []i32) = xs for _i < 2i64 do ([7i32] ++ ys)[:length ys]

entry same [n] (xs: *[n]i32): [n]i32 =
  let xs = loop xs for i < n do xs with [i] = xs[i] + 2
  in loop ys = xs for _i < 1i64 do map (* 3) (ys :> [n]i32)

entry rows [n] (xs: *[n][2]i32): [][2]i32 =
  let xs = loop xs for i < n do xs with [i, 0] = xs[i, 0]
  in loop (ys: [][2]i32) = xs for _i < 2i64 do ([[0, 0]] ++ ys)[:length ys]
