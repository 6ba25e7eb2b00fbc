-- Sums, greatest elements with their places, and first negative elements of rows.
-- ==
-- entry: sums
-- input { [[1, 2, 3], [4, 5, 6]] } output { [6, 15] }
-- input { empty([0][3]i32) } output { empty([0]i32) }
-- input { empty([3][0]i32) } output { [0, 0, 0] }

-- ==
-- entry: greatest
-- input { [[3, 9, 9, 1], [-4, -2, -8, -2]] } output { [9, -2] [1i64, 1i64] }

-- ==
-- entry: together
-- input { [[2, 3, 4], [5, 6, 7]] } output { [24, 210] [9, 18] [[2, 5, 9], [5, 11, 18]] }

entry sums [n] [m] (xss: [n][m]i32): [n]i32 = map (reduce (+) 0) xss

entry greatest [n] [m] (xss: [n][m]i32): ([n]i32, [n]i64) =
  let better (x, i) (y, j) = if x > y || x == y && i < j then (x, i) else (y, j)
  in unzip (map (\xs ->
                   reduce better (i32.lowest, i64.highest) (zip xs (iota m)))
                xss)

entry together [n] [m] (xss: [n][m]i32): ([n]i32, [n]i32, [n][m]i32) =
  unzip3 (map (\xs -> (i32.product xs, i32.sum xs, scan (+) 0 xs)) xss)
