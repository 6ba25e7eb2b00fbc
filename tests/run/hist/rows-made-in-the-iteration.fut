-- Rows that are made in the iteration which hands them on: to a histogram, to a scatter, to a reduction.
-- ==
-- entry: binned
-- input { 2i64 [0i64, 1, 0, 5] [[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 1, 1]] }
-- output { [[8, 18, 30], [4, 9, 15]] }
-- input { 2i64 empty([0]i64) empty([0][3]i32) }
-- output { [[0, 0, 0], [0, 0, 0]] }

-- ==
-- entry: placed
-- input { [2i64, 0] [[1, 2], [3, 4]] }
-- output { [[3, 7], [0, 0], [1, 3]] }

-- ==
-- entry: summed
-- input { [[1, 2, 3], [4, 5, 6]] }
-- output { [5, 12, 21] }
-- input { empty([0][2]i32) }
-- output { [0, 0] }

-- ==
-- entry: named_twice
-- input { [1, 2] }
-- output { [[0, 0], [1, 1]] }
-- input { empty([0]i32) }
-- output { [[0, 0], [1, 1]] }
entry binned [n] [d] (k: i64) (bins: [n]i64) (a: [n][d]i32): [k][d]i32 =
  reduce_by_index (replicate k (replicate d 0)) (map2 (+)) (replicate d 0) bins
                  (map (scan (+) 0) a)

entry placed [n] [d] (rows: [n]i64) (a: [n][d]i32): [3][d]i32 =
  scatter (replicate 3 (replicate d 0)) rows (map (scan (+) 0) a)

entry summed [n] [d] (a: [n][d]i32): [d]i32 =
  reduce (map2 (+)) (replicate d 0) (map (scan (+) 0) a)

-- The row has a second name, under a check.
entry named_twice [n] (xs: [n]i32): [2][2]i32 =
  let rows =
    map (\_ -> let v = assert (n < 40) (replicate 2 0i32) in (v, v)) xs |> unzip
  in reduce_by_index [[0, 0], [1, 1]] (map2 (*)) (replicate 2 1)
                     (map (% 1) (iota n))
                     (if n > 0 then rows.1 else rows.0)
