-- Sums of tiles, on the cores, and then their sum.
-- target: multicore
module s = import "strategy"

-- ==
-- input { [1f32, 2, 3, 4, 1, 1, 1, 1] [5f32, 6, 7, 8, 1, 1, 1, 1] } output { 74f32 }
entry main [n] (xs: [n]f32) (ys: [n]f32): f32 =
  let tiles = zip (s.split 4 xs) (s.split 4 ys)
  in s.reduce_seq (+) 0 (s.map_core (\(x, y) -> s.reduce_seq (+) 0 (#[source] map2 (*) x y)) tiles)
