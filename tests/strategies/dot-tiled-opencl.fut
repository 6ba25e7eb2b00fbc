-- Tiles for blocks, and tiles of these for the threads of a block; the sum of their sums is another kernel.
-- target: opencl
module s = import "strategy"

-- ==
-- input { [1f32, 2, 3, 4, 1, 1, 1, 1] [5f32, 6, 7, 8, 1, 1, 1, 1] } output { 74f32 }
entry main [n] (xs: [n]f32) (ys: [n]f32): f32 =
  let tile m (xs: []f32) (ys: []f32) = zip (s.split m xs) (s.split m ys)
  let sums = s.map_block (\(x, y) -> s.map_lane (\(x, y) -> s.reduce_seq (+) 0 (#[source] map2 (*) x y)) (zip (s.split 2 x) (s.split 2 y))) (tile 4 xs ys)
  in s.reduce_seq (+) 0 (s.join sums)
