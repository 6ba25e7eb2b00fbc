-- Checks that fail in one lane of one block: all leave, and the message is that of the first.
-- ==
-- entry: gather
-- input { [[10, 20, 30], [40, 50, 60]] [2i64, 0i64, 1i64] } output { [[30, 10, 20], [60, 40, 50]] [60, 150] }
-- input { [[10, 20, 30], [40, 50, 60]] [2i64, 0i64, 3i64] } error: Index \[3\] out of bounds

-- ==
-- entry: before
-- input { [[1i64, 2i64], [0i64, 1i64]] } output { [3i64, 2i64] }
-- input { [[1i64, 2i64], [0i64, 3i64]] } error: Assertion is false

entry gather [n] [m] (xss: [n][m]i32) (is: [m]i64): ([n][m]i32, [n]i32) =
  unzip (map (\xs -> let ys = map (\i -> xs[i]) is in (ys, i32.sum ys)) xss)

-- The check is about a whole row.
entry before [n] [m] (iss: [n][m]i64): [n]i64 =
  map2 (\i is ->
          let s = i64.sum is
          in assert (s + i < 4) (i64.sum (map (+ i) is) - i * (m - 1)))
       (iota n) iss
