-- Tiles on the cores, one element after the other in each of them.
-- target: multicore
module s = import "strategy"

-- ==
-- input { 3f32 [1f32, 2, 3, 4] } output { [3f32, 6, 9, 12] }
entry main [n] (a: f32) (xs: [n]f32): []f32 =
  s.join (s.map_core (s.map_seq (* a)) (s.split 2 xs))
