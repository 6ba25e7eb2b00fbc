-- The factors L and U of a matrix with a number added to its diagonal, both in one matrix; without pivots, which a
-- large diagonal does not need.
-- ==
-- "tiny" nobench input { 4f64 [[0f64, 1f64, 2f64], [2f64, 1f64, 3f64], [1f64, 0f64, 1f64]] }
-- output { [[4.0f64, 1.0f64, 2.0f64], [0.5f64, 4.5f64, 2.0f64], [0.25f64, -0.05555555555555555f64,
--   4.611111111111111f64]] }
-- "256" compiled random input { 256f64 [256][256]f64 }
-- "600" compiled random input { 600f64 [600][600]f64 }

def eliminate [n] (a: *[n][n]f64) (k: i64): *[n][n]f64 =
  let factors = map (/ a[k, k]) a[k + 1:, k]
  let rest =
    map2 (\factor -> map2 (\above x -> x - factor * above) a[k, k + 1:]) factors
         a[k + 1:, k + 1:]
  let a[k + 1:, k] = factors
  let a[k + 1:, k + 1:] = rest
  in a

entry main [n] (shift: f64) (a: [n][n]f64): [n][n]f64 =
  let start =
    tabulate_2d n n (\i j -> if i == j then a[i, j] + shift else a[i, j])
  in loop a = start for k < n do eliminate a k
