-- | Clustering by k-means: every point belongs to the nearest of `k`
-- centres, and every centre is the mean of its points.

type point [d] = [d]f32

def distance_squared [d] (a: point [d]) (b: point [d]): f32 =
  f32.sum (map2 (\x y -> (x - y) ** 2) a b)

-- | The index of the nearest centre.
def nearest [k] [d] (centres: [k](point [d])) (p: point [d]): i64 =
  let closer (i, a) (j, b) =
    if a < b || (a == b && i < j) then (i, a) else (j, b)
  let candidates = zip (iota k) (map (distance_squared p) centres)
  in (reduce_comm closer (i64.highest, f32.inf) candidates).0

-- | The means of the points of each cluster. A cluster without points
-- keeps its centre.
def means [n] [k] [d] (centres: [k](point [d])) (points: [n](point [d]))
          (membership: [n]i64): [k](point [d]) =
  let counts = hist (+) 0 k membership (replicate n 1i64)
  let sums =
    reduce_by_index (replicate k (replicate d 0f32)) (map2 (+)) (replicate d 0)
                    membership points
  in map3 (\count sum centre ->
             if count == 0 then centre else map (/ f32.i64 count) sum)
          counts sums centres

-- ==
-- input { 2i64 5 [[0f32, 0f32], [0f32, 1f32], [10f32, 10f32], [10f32, 11f32]] }
-- output { [[0f32, 0.5f32], [10f32, 10.5f32]] [0i64, 0i64, 1i64, 1i64] }

entry main [n] [d] (k: i64) (rounds: i32) (points: [n][d]f32)
           : ([k][d]f32, [n]i64) =
  -- Points at regular distances are as good a start as any.
  let start = tabulate k (\i -> points[i * n / k])
  let centres =
    loop centres = start for _i < rounds do
      means centres points (map (nearest centres) points)
  in (centres, map (nearest centres) points)
