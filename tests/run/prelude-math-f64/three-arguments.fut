-- mad and fma of f64.
-- ==
-- input { [1.0, 0.5, f64.inf, 0.0] [2.0, -4.0, 1.0, 0.0] [3.0, 2.0, -1.0, 0.0] }
-- output { [5.0, 0.0, f64.inf, 0.0] [5.0, 0.0, f64.inf, 0.0] }

def main [n] (as: [n]f64) (bs: [n]f64) (cs: [n]f64): ([n]f64, [n]f64) =
  (map3 f64.mad as bs cs, map3 f64.fma as bs cs)
