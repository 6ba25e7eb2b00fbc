-- Heat in a plate with a hot edge, until nothing changes much any more; each step asks for the greatest change. The
-- steps, 484 of both data sets, read and write the plate once each.
-- work "128 by 128": 0.06343885 GB
-- work "1024 by 1024": 4.06008627 GB
-- ==
-- "tiny" nobench input { 0.001f32 3i64 } output { [[100f32, 100f32, 100f32], [0f32, 25f32, 0f32], [0f32, 0f32, 0f32]] }
-- "tiny, at once" nobench input { 1000f32 4i64 } output { [[100f32, 100f32, 100f32, 100f32], [0f32, 25f32, 25f32, 0f32], [0f32, 0f32, 0f32, 0f32], [0f32, 0f32, 0f32, 0f32]] }
-- "128 by 128" compiled script input { plate 0.05f32 128i64 }
-- "1024 by 1024" compiled script input { plate 0.05f32 1024i64 }

entry plate (tolerance: f32) (n: i64): (f32, i64) = (tolerance, n)

def step [n] (a: [n][n]f32): [n][n]f32 =
  tabulate_2d n n (\i j ->
    if i == 0 || j == 0 || i == n - 1 || j == n - 1 then a[i, j]
    else (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]) / 4)

def change [n] (a: [n][n]f32) (b: [n][n]f32): f32 =
  map2 (\x y -> f32.abs (x - y)) (flatten a) (flatten b) |> f32.maximum

entry main (tolerance: f32) (n: i64): [n][n]f32 =
  let start = tabulate_2d n n (\i _ -> if i == 0 then 100 else 0)
  let (a, _) =
    loop (a, last) = (start, f32.inf) while last > tolerance do
      let b = step a
      in (b, change a b)
  in a
