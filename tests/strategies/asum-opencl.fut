-- Sums of absolute values of tiles, one thread for each, and then their sum.
-- target: opencl
module s = import "strategy"

-- ==
-- input { [1f32, -2, 3, -4] } output { 10f32 }
entry main [n] (xs: [n]f32): f32 =
  s.reduce_seq (+) 0 (s.map_grid (\tile -> s.reduce_seq (+) 0 (#[source] map f32.abs tile)) (s.split 2 xs))
