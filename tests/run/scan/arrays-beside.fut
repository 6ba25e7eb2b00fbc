-- Arrays that each iteration makes beside a scan: the scan does not need them, or does, or only a part of them.
-- ==
-- entry: beside
-- input { empty([0]i32) } output { empty([0][2]i32) empty([0]i32) 0 }
-- input { [1, 2, 3] } output { [[2, 4], [3, 7], [4, 10]] [2, 5, 9] 9 }

-- ==
-- entry: needed
-- input { [1, 2, 3] 2i64 } output { [[1, 1], [2, 2], [3, 3]] [2, 6, 12] }
-- input { [1, 2, 3] 0i64 } output { empty([3][0]i32) [0, 0, 0] }

-- ==
-- entry: updated
-- input { [1, 2, 3] } output { [[9, 1, 0], [9, 2, 0], [9, 3, 0]] [10, 21, 33] }

-- ==
-- entry: kept
-- input { [1, 4, 3, 6] } output { [[4, 5, 6], [6, 7, 8]] }

entry beside [n] (xs: [n]i32): ([n][2]i32, [n]i32, i32) =
  let ys = map (\x -> [x + 1, 3 * x + 1]) xs
  let bs = map (+ 1) xs
  in (ys, scan (+) 0 bs, reduce (+) 0 bs)

entry needed [n] (xs: [n]i32) (k: i64): ([n][k]i32, [n]i32) =
  let (rs, ss) = unzip (map (\x -> let r = replicate k x in (r, i32.sum r)) xs)
  in (rs, scan (+) 0 ss)

entry updated [n] (xs: [n]i32): ([n][3]i32, [n]i32) =
  let f (x: i32) = let r = [0, x, 0] let r[0] = 9 in (r, r[0] + r[1])
  let (rs, ss) = unzip (map f xs)
  in (rs, scan (+) 0 ss)

entry kept (xs: []i32): [][3]i32 =
  filter (\r -> r[0] % 2 == 0)
         (map (\x -> map (\i -> x + i32.i64 i) (iota 3)) xs)
