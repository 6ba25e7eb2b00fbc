-- The least and the greatest of numbers among which some are not: those are left out, wherever they are. Long enough for
-- vectors and tiles.
-- ==
-- entry: vectors
-- input { 0i64 } output { f32.inf -f32.inf }
-- input { 1i64 } output { f32.inf -f32.inf }
-- input { 100i64 } output { 2f32 99f32 }
-- input { 1000i64 } output { -898f32 99f32 }

-- ==
-- entry: paths
-- input { 40i64 } output { 62400f64 }
-- input { 7i64 } output { 294f64 }
-- input { 1i64 } output { 0f64 }

entry vectors (n: i64): (f32, f32) =
  let xs =
    map (\i -> if i % 3 == 0 then f32.nan else f32.i64 (100 - i)) (iota n)
  in (f32.minimum xs, f32.maximum xs)

-- The shortest way through a middle, where number 5 has none. That through number 0 is i + j.
entry paths (n: i64): f64 =
  let there =
    tabulate_2d n n (\i k -> if k == 5 then f64.nan else f64.i64 (i + k))
  let back = tabulate_2d n n (\k j -> f64.i64 (j + 2 * k))
  in f64.sum (map (\row ->
                     f64.sum (map (\column -> f64.minimum (map2 (+) row column))
                                  (transpose back)))
                  there)
