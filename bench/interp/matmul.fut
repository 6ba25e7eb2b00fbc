-- The product of two matrices of n by n.

def matmul [n] [m] [p] (xss: [n][m]f32) (yss: [m][p]f32): [n][p]f32 =
  map (\xs -> map (\ys -> f32.sum (map2 (*) xs ys)) (transpose yss)) xss

entry main (n: i64): f32 =
  let xss = tabulate_2d n n (\i j -> f32.i64 ((i * n + j) % 17))
  in f32.sum (flatten (matmul xss (transpose xss)))
