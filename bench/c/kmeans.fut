-- Rounds of k-means: every point joins the nearest centre, and the centres become the means of their points. The
-- first points are the first centres.
-- ==
-- "tiny" nobench input { 2i64 2i64 [[0f32, 0f32], [4f32, 4f32], [1f32, 0f32], [5f32, 4f32], [0f32, 1f32], [4f32, 6f32]] }
-- output { [[0.333333333f32, 0.333333333f32], [4.33333333f32, 4.66666667f32]] }
-- "5 rounds, k 16, 100000 by 4" compiled random input { 5i64 16i64 [100000][4]f32 }
-- "5 rounds, k 8, 10000 by 64" compiled random input { 5i64 8i64 [10000][64]f32 }

def distance [d] (a: [d]f32) (b: [d]f32): f32 =
  f32.sum (map2 (\x y -> (x - y) * (x - y)) a b)

def nearest [k] [d] (centres: [k][d]f32) (point: [d]f32): i64 =
  let closer (i, x) (j, y) = if y < x then (j, y) else (i, x)
  in (reduce closer (0, f32.inf)
             (zip (iota k) (map (distance point) centres))).0

def round [n] [k] [d] (points: [n][d]f32) (centres: [k][d]f32): [k][d]f32 =
  let clusters = map (nearest centres) points
  let counts = hist (+) 0 k clusters (replicate n 1i32)
  let sums = hist (map2 (+)) (replicate d 0) k clusters points
  in map2 (\count -> map (/ f32.i32 (i32.max 1 count))) counts sums

entry main [n] [d] (rounds: i64) (k: i64) (points: [n][d]f32): [k][d]f32 =
  loop centres = copy (points[:k] :> [k][d]f32) for _i < rounds do
    round points centres
