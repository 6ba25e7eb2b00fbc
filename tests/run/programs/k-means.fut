-- Clusters of points on a line by k-means.
-- ==
-- input { [1.0, 2.0, 9.0, 10.0, 11.0] [0.0, 5.0] 10 } output { [1.5, 10.0] [0i64, 0, 1, 1, 1] }
-- input { [4.0] [4.0] 1 } output { [4.0] [0i64] }
-- input { [0.0, 2.0, 0.0, 2.0, 10.0, 12.0, 10.0, 12.0] [0.0, 12.0] 3 } output { [1.0, 11.0] [0i64, 0, 0, 0, 1, 1, 1, 1] }

def nearest [k] (cs: [k]f64) (x: f64): i64 =
  (reduce (\(d1, i1) (d2, i2) -> if d1 <= d2 then (d1, i1) else (d2, i2))
          (f64.inf, -1)
          (zip (map (\c -> f64.abs (c - x)) cs) (iota k))).1
def main [n] [k] (xs: [n]f64) (cs: [k]f64) (steps: i32): ([k]f64, [n]i64) =
  let cs =
    loop cs for _i < steps do
      let is = map (nearest cs) xs
      let sums = hist (+) 0 k is xs
      let counts = hist (+) 0 k is (replicate n 1i32)
      in map3 (\c s m -> if m == 0 then c else s / f64.i32 m) cs sums counts
  in (cs, map (nearest cs) xs)
