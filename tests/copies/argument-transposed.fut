-- expect: copy-in-loop
-- A function gets columns, which it wants as rows: the whole matrix is copied for each of them.

#[noinline]
def nearest [n] [k] (points: [k][n]f32) (i: i64): f32 =
  loop best = f32.inf for j < k do
    if i == j then best else f32.min best (f32.sum (map2 (\x y -> (x - y) * (x - y)) points[i] points[j]))

entry main [n] [k] (by_coordinate: [n][k]f32): [k]f32 =
  map (\i -> nearest (transpose by_coordinate) i) (iota k)
