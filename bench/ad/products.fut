-- A chain of products of square matrices, and the sum of the squares of its elements.
-- ==
-- entry: check
-- nobench input { 4i64 } output { true }

-- ==
-- entry: primal gradient
-- "128" compiled script input { data 128i64 }
-- "400" compiled script input { data 400i64 }

import "../lib/random"

def times [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64): [n][p]f64 =
  map (\row -> map (\column -> f64.sum (map2 (*) row column)) (transpose b)) a

def objective [n] (a: [n][n]f64) (b: [n][n]f64) (c: [n][n]f64) (d: [n][n]f64)
              : f64 =
  f64.sum (map (\row -> f64.sum (map (\x -> x * x) row))
               (times (times (times a b) c) d))
  / f64.i64 (n * n)

entry primal [n] (a: [n][n]f64) (b: [n][n]f64) (c: [n][n]f64) (d: [n][n]f64)
             : f64 =
  objective a b c d

entry gradient [n] (a: [n][n]f64) (b: [n][n]f64) (c: [n][n]f64) (d: [n][n]f64) =
  vjp (\(a, b, c, d) -> objective a b c d) (a, b, c, d) 1

entry data (n: i64) =
  (random.matrix 1 n n, random.matrix 2 n n, random.matrix 3 n n,
   random.matrix 4 n n)

entry check (n: i64): bool =
  let (a, b, c, d) = data n
  let (da, db, dc, dd) =
    (random.matrix 5 n n, random.matrix 6 n n, random.matrix 7 n n,
     random.matrix 8 n n)
  let (ga, gb, gc, gd) = gradient a b c d
  let at h =
    objective (map2 (random.along h) da a) (map2 (random.along h) db b)
              (map2 (random.along h) dc c)
              (map2 (random.along h) dd d)
  let dot x y = f64.sum (map2 random.dot x y)
  in random.agree at (dot da ga + dot db gb + dot dc gc + dot dd gd)
