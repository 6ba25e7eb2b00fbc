-- mad and fma of f32.
-- ==
-- input { [1.0f32, 0.5, f32.inf, 0.0] [2.0f32, -4.0, 1.0, 0.0] [3.0f32, 2.0, -1.0, 0.0] }
-- output { [5.0f32, 0.0, f32.inf, 0.0] [5.0f32, 0.0, f32.inf, 0.0] }

def main [n] (as: [n]f32) (bs: [n]f32) (cs: [n]f32): ([n]f32, [n]f32) =
  (map3 f32.mad as bs cs, map3 f32.fma as bs cs)
