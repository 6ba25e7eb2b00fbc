-- A derivative whose sums would need arrays of points by clusters by numbers, which are made for some points at a time.
-- ==
-- entry: same
-- input { 0i64 2i64 4i64 } output { true }
-- input { 1i64 1i64 1i64 } output { true }
-- input { 600i64 2i64 4i64 } output { true }

def cost [n] [k] [d] (xs: [n][d]f64) (ws: [k][d][d]f64): f64 =
  let of_cluster x w =
    f64.sum (map (\row -> f64.sin (f64.sum (map2 (*) row x))) w)
  in f64.sum (map (\x ->
                     f64.log (1 + f64.sum (map (\w -> of_cluster x w ** 2) ws)))
                  xs)

def at (i: i64): f64 = f64.i64 (i * 7919 % 1009) / 1009

entry same (n: i64) (k: i64) (d: i64) =
  let xs = tabulate_2d n d (\i j -> at (i * d + j))
  let ws = tabulate_3d k d d (\i j l -> at ((i * d + j) * d + l + 5))
  let direction = tabulate_3d k d d (\i j l -> at ((i * d + j) * d + l + 11))
  let forward = jvp (cost xs) ws direction
  let back = vjp (cost xs) ws 1
  let along =
    f64.sum (flatten (flatten (map2 (map2 (map2 (*))) direction back)))
  in f64.abs (along - forward) <= 1e-10 * f64.max 1 (f64.abs forward)
