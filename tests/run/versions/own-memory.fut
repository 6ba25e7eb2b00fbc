-- Iterations that make arrays for themselves, and hand them on by loops and branches.
-- ==
-- entry: swapped
-- input { [[1, 2, 3, 4], [5, 6, 7, 8]] 3 } output { [[8, 16, 24, 32], [40, 48, 56, 64]] }
-- input { [[1, 2], [3, 4], [5, 6]] 0 } output { [[1, 2], [3, 4], [5, 6]] }

-- ==
-- entry: chosen
-- input { [[1, 2, 3], [4, 5, 6], [7, 8, 9]] [0i64, 2i64, 1i64, 0i64] 1i64 } output { [2, 128, 8, 2] }

-- ==
-- entry: rounded
-- input { [[1i64, 2i64, 3i64, 4i64, 5i64], [0i64, 1i64, 0i64, 1i64, 0i64]] 2i64 } output { [20i64, 4i64] }
-- input { [[1i64, 2i64, 3i64, 4i64, 5i64], [0i64, 1i64, 0i64, 1i64, 0i64]] 0i64 } error: division by zero

-- ==
-- entry: behind
-- input { [[1, 2, 3], [4, 5, 6]] [7, 8] } output { [[1, 2, 3, 7, 8, 3, 2, 1], [4, 5, 6, 7, 8, 6, 5, 4]] }

-- Two arrays change places in each step of a loop inside a map.
entry swapped [n] [m] (xss: [n][m]i32) (k: i32): [n][m]i32 =
  map (\xs ->
         let (as, bs) = (copy xs, copy xs)
         let (as, _) =
           loop (as, bs) for _i < k do
             let is = map (\x -> x * 2) as
             in (scatter bs (iota m) is, as)
         in as)
      xss

-- A branch yields one row of an array or another one; what is done with it is a reduction.
entry chosen [n] [m] [l] (xss: [n][m]i32) (is: [l]i64) (best: i64): [l]i32 =
  map (\i ->
         let row = if i == best then #[unsafe] xss[0] else #[unsafe] xss[i]
         let row = if row[0] > 5 then map (* 4) row else row
         in loop s = 0 for j < m do
              s + row[j] * i32.i64 (j % 2 + i % 2 + i64.bool (row[0] > 5))
              + i32.i64 (j - 1))
      is

-- The size of what an iteration makes is the same in all of them, and computed behind a check.
entry rounded [n] [m] (xss: [n][m]i64) (k: i64): [n]i64 =
  map (\xs ->
         let l = m / k * k
         let ys = loop ys = copy xs[:l] for _i < 1 do map (* 2) (reverse ys)
         in i64.sum ys)
      xss

entry behind [n] [m] [k] (xss: [n][m]i32) (ys: [k]i32): [n][]i32 =
  map (\xs -> let zs = map (+ 0) ys in copy xs ++ zs ++ reverse xs) xss
