-- A matrix times a vector: rows on the cores, in each of which there are eight sums side by side.
-- target: multicore
module s = import "strategy"

-- ==
-- input { 2f32 [[1f32, 2], [3, 4]] [1f32, 1] 10f32 [1f32, 2] } output { [16f32, 34] }
entry main [n] [m] (alpha: f32) (a: [n][m]f32) (x: [m]f32) (beta: f32) (y: [n]f32): [n]f32 =
  s.map_core (\(row, y) -> alpha * (#[simd(8)] reduce (+) 0 (#[source] map2 (*) row x)) + beta * y) (zip a y)
