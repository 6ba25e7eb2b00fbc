-- A program that is called by clients of other projects: scalars, arrays, a record, an opaque value, results that are
-- several, an argument that is consumed, and an error.

type point = {x: f32, y: f32}

entry dot (xs: []f32) (ys: []f32): f32 = f32.sum (map2 (*) xs ys)
entry matmul [n] [m] [p] (a: [n][m]i32) (b: [m][p]i32): [n][p]i32 =
  map (\row -> map (\column -> i32.sum (map2 (*) row column)) (transpose b)) a
entry divide (a: i64) (b: i64): (i64, i64) = (a / b, a % b)
entry fill (xs: *[]i64) (x: i64): *[]i64 = map (const x) xs
entry point_of (x: f32) (y: f32): point = {x, y}
entry scaled (p: point) (by: f32): point = {x = p.x * by, y = p.y * by}
entry norm2 (p: point): f32 = p.x * p.x + p.y * p.y
entry at (xs: []u8) (i: i64): u8 = xs[i]
