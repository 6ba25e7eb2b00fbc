-- Clusters of points: each belongs to the nearest of some centres, which are the means of their points.
-- ==
-- input { 2i64 3i32 [[0f64, 0f64], [10f64, 10f64], [0f64, 2f64], [12f64, 10f64]] }
-- output { [[0f64, 1f64], [11f64, 10f64]] }

def square (x: f64): f64 = x * x

def distance [d] (a: [d]f64) (b: [d]f64): f64 =
  f64.sum (map2 (\x y -> square (x - y)) a b)

-- | The number of the nearest centre.
def nearest [k] [d] (centres: [k][d]f64) (point: [d]f64): i64 =
  let distances = map (\centre -> distance centre point) centres
  let closer (i, x) (j, y) =
    if y < x || (y == x && j < i) then (j, y) else (i, x)
  in (reduce closer (i64.highest, f64.inf) (zip (iota k) distances)).0

def sums [n] [d] (k: i64) (points: [n][d]f64) (owners: [n]i64): [k][d]f64 =
  reduce_by_index (replicate k (replicate d 0)) (map2 (+)) (replicate d 0)
                  owners points

def counts [n] (k: i64) (owners: [n]i64): [k]i64 =
  hist (+) 0 k owners (map (const 1) owners)

def step [n] [k] [d] (points: [n][d]f64) (centres: [k][d]f64): [k][d]f64 =
  let owners = map (nearest centres) points
  let mean sum count = map (\x -> x / f64.i64 (i64.max 1 count)) sum
  in map2 mean (sums k points owners) (counts k owners)

def main [n] [d] (k: i64) (steps: i32) (points: [n][d]f64): [k][d]f64 =
  let start = take k points
  in loop centres = start for _i < steps do step points centres
