-- Many tridiagonal systems: by the algorithm of Thomas in each thread, and by scans of what each step does.
-- work "1024 of 256": 0.00524288 GB
-- work "64K of 256": 0.33554432 GB
-- ==
-- entry: thomas scans
-- "tiny" nobench input { [[0f32, 1f32, 1f32], [0f32, -1f32, 2f32]] [[2f32, 4f32, 2f32], [4f32, 5f32, 8f32]]
--   [[1f32, 1f32, 0f32], [1f32, 2f32, 0f32]] [[4f32, 12f32, 8f32], [2f32, -6f32, 16f32]] }
-- output { [[1f32, 2f32, 3f32], [1f32, -2f32, 2.5f32]] }
-- "1024 of 256" compiled script input { systems 1024i64 256i64 }
-- "64K of 256" compiled script input { systems 65536i64 256i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry systems (k: i64) (n: i64): ([k][n]f32, [k][n]f32, [k][n]f32, [k][n]f32) =
  let random offset = tabulate_2d k n (\i j -> value (i * n + j + offset))
  let lower = map (map2 (\j x -> if j == 0 then 0 else x) (iota n)) (random 0)
  let upper =
    map (map2 (\j x -> if j == n - 1 then 0 else x) (iota n)) (random 7)
  in (lower, map (map (+ 3)) (random 13), upper, random 29)

def solve [n] (lower: [n]f32) (diagonal: [n]f32) (upper: [n]f32) (right: [n]f32)
          : [n]f32 =
  let (cs, ds) =
    loop (cs, ds) = (replicate n 0, replicate n 0) for i < n do
      let (c, d) = if i == 0 then (0, 0) else (cs[i - 1], ds[i - 1])
      let pivot = diagonal[i] - lower[i] * c
      in (cs with [i] = upper[i] / pivot,
          ds with [i] = (right[i] - lower[i] * d) / pivot)
  in loop xs = copy ds for k < n - 1 do
       let i = n - 2 - k
       in xs with [i] = ds[i] - cs[i] * xs[i + 1]

entry thomas [k] [n] (lower: [k][n]f32) (diagonal: [k][n]f32) (upper: [k][n]f32)
             (right: [k][n]f32): [k][n]f32 =
  map4 solve lower diagonal upper right

-- Fractions of linear functions, as matrices whose scale means nothing.
def compose (a0, a1, a2, a3) (b0, b1, b2, b3): (f32, f32, f32, f32) =
  let scale = 1 / f32.abs (a0 * b0)
  in (scale * (b0 * a0 + b1 * a2), scale * (b0 * a1 + b1 * a3),
      scale * (b2 * a0 + b3 * a2), scale * (b2 * a1 + b3 * a3))

-- Linear functions, the first one first.
def after (a0, a1) (b0, b1): (f32, f32) = (b0 + b1 * a0, a1 * b1)

def solve_by_scans [n] (lower: [n]f32) (diagonal: [n]f32) (upper: [n]f32)
                   (right: [n]f32): [n]f32 =
  let first = diagonal[0]
  let step i =
    if i == 0
    then (1, 0, 0, 1)
    else (diagonal[i], -(lower[i] * upper[i - 1]), 1, 0)
  let pivots =
    scan compose (1, 0, 0, 1) (tabulate n step)
    |> map (\(a, b, c, d) -> (a * first + b) / (c * first + d))
  let forward =
    tabulate n (\i ->
                  if i == 0
                  then (0, 1)
                  else (right[i], -lower[i] / pivots[i - 1]))
    |> scan after (0, 1)
    |> map (\(a, b) -> a + b * right[0])
  let last = forward[n - 1] / pivots[n - 1]
  let backward =
    tabulate n (\k ->
                  let i = n - 1 - k
                  in if k == 0
                     then (0, 1)
                     else (forward[i] / pivots[i], -upper[i] / pivots[i]))
    |> scan after (0, 1)
    |> map (\(a, b) -> a + b * last)
  in reverse backward

entry scans [k] [n] (lower: [k][n]f32) (diagonal: [k][n]f32) (upper: [k][n]f32)
            (right: [k][n]f32): [k][n]f32 =
  map4 solve_by_scans lower diagonal upper right
