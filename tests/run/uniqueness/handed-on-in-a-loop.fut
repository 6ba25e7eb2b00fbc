-- An iteration hands an array on to the next one in another place.
-- ==
-- entry: main
-- input { [1, 2] 0i64 } output { [1, 2] [1, 2] }
-- input { [1, 2] 1i64 } output { [0, 0] [1, 2] }
-- input { [1, 2] 2i64 } output { [1, 1] [0, 0] }

-- ==
-- entry: changed
-- input { [1, 2] 0i64 } output { [9, 2] [1, 2] }
-- input { [1, 2] 1i64 } output { [9, 2] [1, 2] }
-- input { [1, 2] 2i64 } output { [9, 0] [1, 2] }

entry main [n] (xs: [n]i32) (k: i64): ([n]i32, [n]i32) =
  loop (a: [n]i32, b: [n]i32) = (copy xs, copy xs) for i < k do
    (replicate n (i32.i64 i), a)

-- What is changed may be what the loop began with.
entry changed [n] (xs: [n]i32) (k: i64): ([n]i32, [n]i32) =
  let (_, b) =
    loop (a: [n]i32, b: [n]i32) = (xs, copy xs) for i < k do
      (replicate n (i32.i64 i), copy a)
  in (copy b with [0] = 9, xs)
