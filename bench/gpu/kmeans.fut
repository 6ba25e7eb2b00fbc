-- A step of k-means: each point goes to the nearest centre, each centre to the middle of its points. A distance is three
-- operations for each coordinate.
-- work "16K by 16, 64 centres": 0.05033165 GFLOP
-- work "1M by 16, 64 centres": 3.22122547 GFLOP
-- compare "1M by 16, 64 centres": all but 0.5 %, because a point in the middle goes to either centre by its rounding
-- ==
-- "tiny" nobench input { [[0f32, 0f32], [10f32, 10f32], [50f32, 50f32]] [[1f32, 1f32], [0f32, 2f32], [9f32, 10f32], [12f32, 10f32], [3f32, 0f32]] }
-- output { [[1.3333333f32, 1f32], [10.5f32, 10f32], [50f32, 50f32]] }
-- "16K by 16, 64 centres" compiled script input { points 16384i64 16i64 64i64 }
-- "1M by 16, 64 centres" compiled script input { points 1048576i64 16i64 64i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry points (n: i64) (d: i64) (k: i64): ([k][d]f32, [n][d]f32) =
  (tabulate_2d k d (\i j -> value (i * d + j + 1000003)),
   tabulate_2d n d (\i j -> value (i * d + j)))

def distance [d] (a: [d]f32) (b: [d]f32): f32 =
  f32.sum (map2 (\x y -> (x - y) * (x - y)) a b)

def nearest [k] [d] (centres: [k][d]f32) (point: [d]f32): i64 =
  let closer (i, x) (j, y) =
    if x < y || (x == y && i < j) then (i, x) else (j, y)
  in (reduce_comm closer (k, f32.inf)
                  (zip (iota k) (map (distance point) centres))).0

entry main [n] [k] [d] (centres: [k][d]f32) (points: [n][d]f32): [k][d]f32 =
  let membership = map (nearest centres) points
  let counts = hist (+) 0i32 k membership (replicate n 1)
  let sums =
    reduce_by_index (replicate k (replicate d 0f32)) (map2 (+)) (replicate d 0)
                    membership points
  in map3 (\old count sum ->
             if count == 0 then old else map (/ f32.i32 count) sum)
          centres counts sums
