-- How likely points are under a mixture of Gaussians, by means, logarithms of weights and inverse roots of covariances:
-- lower triangles, the logarithms of their diagonals in q and what is under these, row by row, in l.
-- ==
-- entry: check
-- nobench input { 7i64 3i64 2i64 } output { true }
-- nobench input { 1i64 1i64 1i64 } output { true }

-- ==
-- entry: primal gradient
-- "n 1000, d 64, k 5" compiled script input { data 1000i64 64i64 5i64 }
-- "n 10000, d 32, k 10" compiled script input { data 10000i64 32i64 10i64 }

import "../lib/random"

def norm2 (xs: []f64): f64 = f64.sum (map (\x -> x * x) xs)

def log_sum_exp (xs: []f64): f64 =
  let greatest = f64.maximum xs
  in f64.log (f64.sum (map (\x -> f64.exp (x - greatest)) xs)) + greatest

def triangle [d] (q: [d]f64) (l: []f64): [d][d]f64 =
  tabulate_2d d d (\i j ->
    if i < j
    then 0
    else if i == j
    then f64.exp q[i]
    else l[i * (i - 1) / 2 + j])

def objective [n] [d] [k] [t] (xs: [n][d]f64) (alphas: [k]f64)
              (means: [k][d]f64) (qs: [k][d]f64) (ls: [k][t]f64): f64 =
  let roots = map2 triangle qs ls
  let weights = map2 (\alpha q -> alpha + f64.sum q) alphas qs
  let of_point (x: [d]f64) =
    let of_cluster (weight: f64) (mean: [d]f64) (root: [d][d]f64) =
      let v = map2 (-) x mean
      in weight - norm2 (map (\row -> f64.sum (map2 (*) row v)) root) / 2
    in log_sum_exp (map3 of_cluster weights means roots)
  in f64.sum (map of_point xs)
     - f64.i64 n * log_sum_exp alphas
     + f64.sum (map2 (\q l -> norm2 (map f64.exp q) + norm2 l) qs ls) / 2

entry primal [n] [d] [k] [t] (xs: [n][d]f64) (alphas: [k]f64) (means: [k][d]f64)
             (qs: [k][d]f64) (ls: [k][t]f64): f64 =
  objective xs alphas means qs ls

entry gradient [n] [d] [k] [t] (xs: [n][d]f64) (alphas: [k]f64)
               (means: [k][d]f64) (qs: [k][d]f64) (ls: [k][t]f64) =
  vjp (\(alphas, means, qs, ls) -> objective xs alphas means qs ls)
      (alphas, means, qs, ls) 1

entry data (n: i64) (d: i64) (k: i64) =
  let t = d * (d - 1) / 2
  in (random.matrix 1 n d, random.vector 2 k, random.matrix 3 k d,
      map (map (/ 4)) (random.matrix 4 k d),
      map (map (/ 4)) (random.matrix 5 k t))

entry check (n: i64) (d: i64) (k: i64): bool =
  let (xs, alphas, means, qs, ls) = data n d k
  let (da, dm, dq) =
    (random.vector 6 k, random.matrix 7 k d, random.matrix 8 k d)
  let dl = random.matrix 9 k (d * (d - 1) / 2)
  let (ga, gm, gq, gl) = gradient xs alphas means qs ls
  let at h =
    objective xs (random.along h da alphas) (map2 (random.along h) dm means)
              (map2 (random.along h) dq qs)
              (map2 (random.along h) dl ls)
  in random.agree at
                  (random.dot da ga + f64.sum (map2 random.dot dm gm)
                   + f64.sum (map2 random.dot dq gq)
                   + f64.sum (map2 random.dot dl gl))
