-- How likely points are under a mixture of Gaussians: the objective whose maximum fits the mixture. The inverse of the
-- root of a covariance is a lower triangle, the logarithms of its diagonal in q and the rows under it in l.
-- ==
-- "tiny" nobench input {
--   [[0.5f64, 1f64, -1f64], [0.25f64, -0.5f64, 2f64]]
--   [0.1f64, -0.2f64] [[0f64, 0.5f64, 1f64], [1f64, -1f64, 0.5f64]]
--   [[0.1f64, 0.2f64, -0.3f64], [0f64, 0.4f64, 0.2f64]] [[0.5f64, -0.25f64, 1f64], [0.1f64, 0.2f64, 0.3f64]] }
-- output { 2.0660779681709487f64 }
-- "n 100000, d 10, k 5" compiled random input { [100000][10]f64 [5]f64 [5][10]f64 [5][10]f64 [5][45]f64 }
-- "n 2000, d 32, k 25" compiled random input { [2000][32]f64 [25]f64 [25][32]f64 [25][32]f64 [25][496]f64 }

def norm2 (xs: []f64): f64 = f64.sum (map (\x -> x * x) xs)

def log_sum_exp (xs: []f64): f64 =
  let greatest = f64.maximum xs
  in f64.log (f64.sum (map (\x -> f64.exp (x - greatest)) xs)) + greatest

-- A triangle times a vector.
def times [d] (diagonal: [d]f64) (l: []f64) (v: [d]f64): [d]f64 =
  tabulate d (\i ->
    let start = i * (i - 1) / 2
    in loop sum = diagonal[i] * v[i] for j < i do
         sum + l[start + j] * v[j])

entry main [n] [d] [k] [t] (xs: [n][d]f64) (alphas: [k]f64) (means: [k][d]f64)
           (qs: [k][d]f64) (ls: [k][t]f64): f64 =
  let diagonals = map (map f64.exp) qs
  let weights = map2 (\alpha q -> alpha + f64.sum q) alphas qs
  let of_point (x: [d]f64) =
    log_sum_exp (map4 (\weight mean diagonal l ->
                         weight
                         - norm2 (times diagonal l (map2 (-) x mean)) / 2)
                      weights means diagonals ls)
  in f64.sum (map of_point xs)
     - f64.i64 n * log_sum_exp alphas
     + f64.sum (map2 (\diagonal l -> norm2 diagonal + norm2 l) diagonals ls) / 2
