-- Steps of a stencil: each element becomes the mean of itself and its neighbours, and those at the ends what their
-- neighbours become.
-- ==
-- "tiny" nobench input { 1i64 [3f64, 6f64, 9f64, 0f64, 3f64] } output { [6f64, 6f64, 5f64, 4f64, 4f64] }
-- "tiny, 2 steps" nobench input { 2i64 [3f64, 6f64, 9f64, 0f64, 3f64] }
-- output { [5.666666666666667f64, 5.666666666666667f64, 5f64, 4.333333333333333f64, 4.333333333333333f64] }
-- "1 step, 16M" compiled random input { 1i64 [16777216]f64 }
-- "100 steps, 64K" compiled random input { 100i64 [65536]f64 }

def pad [n] (xs: [n]f64): []f64 = [xs[0]] ++ xs ++ [xs[n - 1]]

def means [n] (xs: [n]f64): []f64 =
  map3 (\a b c -> (a + b + c) / 3) (xs[:n - 2] :> [n - 2]f64)
       (xs[1:n - 1] :> [n - 2]f64) (xs[2:] :> [n - 2]f64)

entry main [n] (steps: i64) (xs: [n]f64): [n]f64 =
  loop xs for _i < steps do pad (means xs) :> [n]f64
