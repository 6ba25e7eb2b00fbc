-- A network of three layers that tells classes of vectors, and the mean of its cross entropy with what they are.
-- ==
-- entry: check
-- nobench input { 3i64 4i64 5i64 2i64 } output { true }

-- ==
-- entry: primal gradient
-- "batch 128, 256, 128, 10" compiled script input { data 128i64 256i64 128i64 10i64 }
-- "batch 512, 784, 256, 10" compiled script input { data 512i64 784i64 256i64 10i64 }

import "../lib/random"

-- What a layer says to each vector of a batch.
def layer [b] [n] [m] (f: f32 -> f32) (weights: [m][n]f32) (bias: [m]f32)
          (xs: [b][n]f32): [b][m]f32 =
  map (\x -> map2 (\row c -> f (f32.sum (map2 (*) row x) + c)) weights bias) xs

def relu (x: f32): f32 = f32.max 0 x

def softmax [n] (xs: [n]f32): [n]f32 =
  let greatest = f32.maximum xs
  let exps = map (\x -> f32.exp (x - greatest)) xs
  let sum = f32.sum exps
  in map (/ sum) exps

def objective [b] [n] [h] [k] (xs: [b][n]f32) (labels: [b]i64) (w1: [h][n]f32)
              (b1: [h]f32) (w2: [h][h]f32) (b2: [h]f32)
              (w3: [k][h]f32) (b3: [k]f32): f32 =
  let said =
    map softmax (layer id w3 b3 (layer relu w2 b2 (layer relu w1 b1 xs)))
  in f32.sum (map2 (\ps label -> -(f32.log ps[label])) said labels) / f32.i64 b

entry primal [b] [n] [h] [k] (xs: [b][n]f32) (labels: [b]i64) (w1: [h][n]f32)
             (b1: [h]f32) (w2: [h][h]f32) (b2: [h]f32)
             (w3: [k][h]f32) (b3: [k]f32): f32 =
  objective xs labels w1 b1 w2 b2 w3 b3

entry gradient [b] [n] [h] [k] (xs: [b][n]f32) (labels: [b]i64) (w1: [h][n]f32)
               (b1: [h]f32) (w2: [h][h]f32)
               (b2: [h]f32) (w3: [k][h]f32) (b3: [k]f32) =
  vjp (\(w1, b1, w2, b2, w3, b3) -> objective xs labels w1 b1 w2 b2 w3 b3)
      (w1, b1, w2, b2, w3, b3) 1

def small [n] [m] (a: [n][m]f64): [n][m]f32 =
  map (map (\x -> f32.f64 (x / f64.sqrt (f64.i64 m)))) a

entry data (b: i64) (n: i64) (h: i64) (k: i64) =
  (map (map f32.f64) (random.matrix 1 b n), tabulate b (\i -> (i * 7 + 3) % k),
   small (random.matrix 2 h n), map f32.f64 (random.vector 3 h),
   small (random.matrix 4 h h),
   map f32.f64 (random.vector 5 h),
   small (random.matrix 6 k h), map f32.f64 (random.vector 7 k))

-- Slopes by forward mode, since the differences of numbers in f32 say little.
entry check (b: i64) (n: i64) (h: i64) (k: i64): bool =
  let (xs, labels, w1, b1, w2, b2, w3, b3) = data b n h k
  let (_, _, d1, c1, d2, c2, d3, c3) = data (b + 1) (n + 0) (h + 0) (k + 0)
  let (d1, c1, d2, c2, d3, c3) =
    (d1 :> [h][n]f32, c1 :> [h]f32, d2 :> [h][h]f32, c2 :> [h]f32,
     d3 :> [k][h]f32, c3 :> [k]f32)
  let (g1, h1, g2, h2, g3, h3) = gradient xs labels w1 b1 w2 b2 w3 b3
  let dot x y = f32.sum (map2 (*) x y)
  let back =
    f32.sum (map2 dot d1 g1) + dot c1 h1 + f32.sum (map2 dot d2 g2) + dot c2 h2
    + f32.sum (map2 dot d3 g3)
    + dot c3 h3
  let forth =
    jvp (\(w1, b1, w2, b2, w3, b3) -> objective xs labels w1 b1 w2 b2 w3 b3)
        (w1, b1, w2, b2, w3, b3)
        (d1, c1, d2, c2, d3, c3)
  in f32.abs (back - forth) < 1e-4
