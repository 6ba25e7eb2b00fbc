-- Tiles for blocks, whose threads share the elements.
-- target: opencl
module s = import "strategy"

-- ==
-- input { 3f32 [1f32, 2, 3, 4] } output { [3f32, 6, 9, 12] }
entry main [n] (a: f32) (xs: [n]f32): []f32 =
  s.join (s.map_block (s.map_lane (* a)) (s.split 2 xs))
