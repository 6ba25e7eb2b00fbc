-- How soon points of the plane leave. A step is ten operations.
-- work "512 by 512, 256 steps": 0.09236532 GFLOP
-- work "4096 by 4096, 256 steps": 5.90701462 GFLOP
-- compare "512 by 512, 256 steps": all but 0.5 %, because a point near the edge leaves sooner or later with each rounding
-- compare "4096 by 4096, 256 steps": all but 0.5 %, because a point near the edge leaves sooner or later with each rounding
-- ==
-- "tiny" nobench input { 2i64 3i64 4 } output { [[2, 4, 1], [2, 4, 1]] }
-- "512 by 512, 256 steps" compiled script input { picture 512i64 256i32 }
-- "4096 by 4096, 256 steps" compiled script input { picture 4096i64 256i32 }

entry picture (n: i64) (limit: i32): (i64, i64, i32) = (n, n, limit)

type complex = {re: f32, im: f32}

def square ({re, im}: complex): complex =
  {re = re * re - im * im, im = 2 * re * im}
def plus (a: complex) (b: complex): complex =
  {re = a.re + b.re, im = a.im + b.im}
def norm ({re, im}: complex): f32 = re * re + im * im

def steps (limit: i32) (c: complex): i32 =
  (loop (z, i) = (c, 0) while i < limit && norm z < 4 do
     (plus (square z) c, i + 1)).1

entry main (n: i64) (m: i64) (limit: i32): [n][m]i32 =
  let at i j =
    {re = 4 * (f32.i64 j + 0.5) / f32.i64 m - 2,
     im = 3 * (f32.i64 i + 0.5) / f32.i64 n - 1.5}
  in map (\i -> map (\j -> steps limit (at i j)) (iota m)) (iota n)
