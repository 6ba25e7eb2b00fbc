-- A value that does not matter is not computed where its shape is known without it: there is nothing to take it from.
-- ==
-- entry: main
-- input { [4, 5] } output { 4 2 }
-- input { empty([0]i32) } output { 0 -1 }

-- ==
-- entry: filled
-- input { [4, 5] } output { [5, 4] }
-- input { empty([0]i32) } output { empty([0]i32) }

entry main [n] (xs: [n]i32): (i32, i32) =
  let (x, y) = if n == 0 then (#[blank] xs[0], -1) else (xs[0], 2)
  in (if n == 0 then 0 else x, y)

entry filled [n] (xs: [n]i32): [n]i32 =
  scatter (#[scratch] map (/ 0) xs) (map (\i -> n - 1 - i) (iota n)) xs
