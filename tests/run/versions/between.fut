-- Arrays between the operators of a row, and a result that needs all of it.
-- ==
-- entry: shares
-- input { [[1f32, 3f32], [2f32, 2f32], [5f32, 0f32]] }
-- output { [[0.25f32, 0.75f32], [0.5f32, 0.5f32], [1f32, 0f32]] }

-- ==
-- entry: ranks
-- input { [[30, 10, 20], [5, 5, 4]] } output { [[2, 0, 1], [1, 1, 0]] }

-- ==
-- entry: smooth
-- input { [[1i64, 2i64, 4i64, 8i64], [0i64, 0i64, 3i64, 0i64]] }
-- output { [[15i64, 25i64, 41i64, 54i64], [3i64, 6i64, 9i64, 9i64]] }

entry shares [n] [m] (xss: [n][m]f32): [n][m]f32 =
  map (\xs ->
         let doubled = map (* 2) xs
         let s = f32.sum doubled
         in map (/ s) doubled)
      xss

entry ranks [n] [m] (xss: [n][m]i32): [n][m]i32 =
  map (\xs -> map (\x -> i32.sum (map (\y -> i32.bool (y < x)) xs)) xs) xss

-- The sum of an element and its neighbours, of which there are copies at both ends; and that once more.
entry smooth [n] [m] (xss: [n][m]i64): [n][m]i64 =
  let step (xs: [m]i64) =
    tabulate m (\i ->
                  xs[i64.max 0 (i - 1)] + xs[i] + xs[i64.min (m - 1) (i + 1)])
  in map (\xs -> step (step xs)) xss
