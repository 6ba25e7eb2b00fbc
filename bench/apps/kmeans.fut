-- k-means by Lloyd's rounds until no point changes its cluster any more (or the rounds are used up). The answer is
-- the centres, the size of every cluster, and the mean squared distance of the points from their centres.
-- ==
-- entry: main
-- nobench input { 2i64 10i32 [[0f32, 0f32], [1f32, 0f32], [0f32, 1f32], [8f32, 8f32], [9f32, 8f32], [8f32, 10f32]]
--   }
-- output { [[0.3333333f32, 0.3333333f32], [8.333333f32, 8.666667f32]] [3i32, 3i32] 0.7777778f32 }
-- nobench input { 3i64 20i32 [[2f32, 2f32, 0f32], [-3f32, 7f32, 6f32], [-11f32, 12f32, 14f32], [3f32, 1f32, 3f32],
--   [-6f32, 7f32, 6f32], [-11f32, 15f32, 14f32], [1f32, 3f32, 1f32], [-6f32, 7f32, 9f32], [-11f32, 13f32, 12f32],
--   [0f32, 1f32, 1f32], [-5f32, 7f32, 8f32], [-10f32, 13f32, 13f32], [1f32, 1f32, 3f32], [-4f32, 6f32, 8f32]] }
-- output { [[1.4f32, 1.6f32, 1.6f32], [-4.8f32, 6.8f32, 7.4f32], [-10.75f32, 13.25f32, 13.25f32]] [5i32, 5i32,
--   4i32] 2.760714f32 }
-- "small" compiled script input { clouds 5i64 10i32 5i64 10000i64 4i64 }
-- "medium" compiled script input { clouds 16i64 10i32 16i64 50000i64 8i64 }
-- "large" compiled script input { clouds 20i64 8i32 24i64 150000i64 16i64 }

type nearest = {cluster: i32, distance: f32}

def nearer (a: nearest) (b: nearest): nearest =
  if b.distance < a.distance
     || (b.distance == a.distance && b.cluster < a.cluster)
  then b
  else a

def nobody: nearest = {cluster = i32.highest, distance = f32.inf}

def sq (x: f32) = x * x

def distances [k] [d] (centres: [k][d]f32) (point: [d]f32): [k]f32 =
  map (\c -> map2 (-) c point |> map sq |> f32.sum) centres

def assign [n] [k] [d] (points: [n][d]f32) (centres: [k][d]f32): [n]nearest =
  points
  |> map (distances centres)
  |> map (\ds ->
            map2 (\i x -> {cluster = i32.i64 i, distance = x}) (indices ds) ds
            |> reduce_comm nearer nobody)

def recentre [n] [k] [d] (points: [n][d]f32) (members: [n]i32) (old: [k][d]f32)
             : ([k][d]f32, [k]i32) =
  let where = map i64.i32 members
  let sizes =
    reduce_by_index (replicate k 0i32) (+) 0 where (map (const 1) members)
  let sums =
    reduce_by_index (replicate k (replicate d 0f32)) (map2 (+))
                    (replicate d 0f32) where points
  let mean old size sum = if size == 0 then old else map (/ f32.i32 size) sum
  in (map3 mean old sizes sums, sizes)

entry main [n] [d] (k: i64) (max_rounds: i32) (points: [n][d]f32)
           : ([k][d]f32, [k]i32, f32) =
  -- every so-and-so-manieth point is a centre at the start
  let start = map (\i -> points[i * (n / k)]) (iota k)
  let (centres, _, sizes, _, _) =
    loop (centres, members, _sizes: [k]i32, changed,
          round) = (start, replicate n (-1), replicate k 0, n, 0)
    while changed > 0 && round < max_rounds do
      let members' = assign points centres |> map (.cluster)
      let changed = map2 (!=) members members' |> map i64.bool |> i64.sum
      let (centres', sizes) = recentre points members' centres
      in (centres', members', sizes, changed, round + 1)
  let error = assign points centres |> map (.distance) |> map f64.f32 |> f64.sum
  in (centres, sizes, f32.f64 (error / f64.i64 n))

-- Clouds around c places in d dimensions.
def hash (x: u32): u32 =
  let x = (x ^ x >> 16) * 0x7feb352d
  let x = (x ^ x >> 15) * 0x846ca68b
  in x ^ x >> 16

def uniform (x: i64): f32 = f32.u32 (hash (u32.i64 x) >> 8) / 16777216

entry clouds (k: i64) (rounds: i32) (c: i64) (n: i64) (d: i64)
             : (i64, i32, [n][d]f32) =
  (k, rounds,
   tabulate_2d n d (\i j ->
     let cloud = i64.u32 (hash (u32.i64 i + 99)) % c
     let noise = uniform (2 * (i * d + j)) + uniform (2 * (i * d + j) + 1) - 1
     in 10 * uniform (cloud * d + j + 777) + noise))
