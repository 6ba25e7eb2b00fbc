-- mad and fma of f16.
-- ==
-- input { [1.0f16, 0.5, f16.inf, 0.0] [2.0f16, -4.0, 1.0, 0.0] [3.0f16, 2.0, -1.0, 0.0] }
-- output { [5.0f16, 0.0, f16.inf, 0.0] [5.0f16, 0.0, f16.inf, 0.0] }

def main [n] (as: [n]f16) (bs: [n]f16) (cs: [n]f16): ([n]f16, [n]f16) =
  (map3 f16.mad as bs cs, map3 f16.fma as bs cs)
