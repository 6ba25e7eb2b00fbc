-- Eight sums side by side.
-- target: c
module s = import "strategy"

-- ==
-- input { [1f32, 2, 3, 4, 1, 1, 1, 1] [5f32, 6, 7, 8, 1, 1, 1, 1] } output { 74f32 }
entry main [n] (xs: [n]f32) (ys: [n]f32): f32 =
  #[simd(8)] reduce (+) 0 (#[source] map2 (*) xs ys)
