-- The least element and its place, written in several ways; the first of equal ones.
-- ==
-- entry: nested
-- input { [3f32, 1f32, 2f32, 1f32] } output { 1f32 1i64 }
-- input { empty([0]f32) } output { f32.inf 0i64 }

entry nested [n] (xs: [n]f32): (f32, i64) =
  reduce_comm (\(x, i) (y, j) ->
                 if x < y
                 then (x, i)
                 else if y < x
                 then (y, j)
                 else if i < j
                 then (x, i)
                 else (y, j))
              (f32.inf, 0)
              (zip xs (indices xs))

-- ==
-- entry: conditions
-- input { [3i32, 1i32, 2i32, 3i32] } output { 3i32 0i32 }

entry conditions [n] (xs: [n]i32): (i32, i32) =
  reduce_comm (\(x, i) (y, j) ->
                 if x > y || x == y && i < j then (x, i) else (y, j))
              (i32.lowest, i32.highest)
              (zip xs (map i32.i64 (indices xs)))

-- Many of them, so that lanes and threads have something to do, and numbers that are left over.
-- ==
-- entry: many
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 15i64 } output { true }
-- input { 16i64 } output { true }
-- input { 43i64 } output { true }
-- input { 1000i64 } output { true }
-- input { 300001i64 } output { true }

entry many (n: i64): bool =
  let xs = map (\i -> f32.i64 ((i * 7919 + 13) % 1009)) (iota n)
  let (x, i) = nested xs
  let (y, j) =
    loop (y, j) = (f32.inf, 0) for k < n do
      if xs[k] < y then (xs[k], k) else (y, j)
  in x == y && i == j
