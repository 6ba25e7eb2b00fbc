-- Test blocks for `futhark test` and `futhark bench`: values, files, random data, results of the interpreter, errors.

-- ==
-- entry: sum
-- input { [1, 2, 3] } output { 6 }
-- input { empty([0]i32) } output { 0 }
-- random input { [10000]i32 } auto output
entry sum (xs: []i32): i32 = i32.sum xs

-- ==
-- entry: at
-- input { [1] 0i64 } output { 1 }
-- input { [1] 4i64 } error: Index \[4\] out of bounds
entry at (xs: []i32) (i: i64): i32 = xs[i]

-- ==
-- entry: rows
-- random input { [100][30]f64 } auto output
entry rows [n] [m] (xss: [n][m]f64): [n]f64 = map f64.sum xss

type point = {x: f32, y: f32}

entry point (i: i64): point = {x = f32.i64 i, y = 1}

-- ==
-- entry: norm2
-- script input { point 3i64 } output { 10f32 }
entry norm2 (p: point): f32 = p.x * p.x + p.y * p.y
