-- A map on all threads of the device, and then a sum by one of them: the array in between is made.
-- target: opencl
module s = import "strategy"

-- ==
-- input { [1f32, 2, 3, 4] [5f32, 6, 7, 8] } output { 70f32 }
entry main [n] (xs: [n]f32) (ys: [n]f32): f32 =
  s.reduce_seq (+) 0 (s.map_grid (\(x, y) -> x * y) (zip xs ys))
