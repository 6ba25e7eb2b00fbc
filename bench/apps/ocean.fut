-- A step of an ocean model on a grid of water columns: salinity is carried by a flow with limited fluxes, spreads
-- sideways, and mixes downwards, the last implicitly with one tridiagonal system per column. Land columns stay.
-- ==
-- entry: main
-- "still water mixes" nobench input { 1i64 [[2i32]] [[[1f64, 3f64]]] [[[0f64, 0f64]]] [[[0f64, 0f64]]] }
-- output { [[[1.3333333333333333f64, 2.6666666666666667f64]]] [4f64, 1.3333333333333333f64, 2.6666666666666667f64] }
-- "land" nobench input { 3i64 [[0i32]] [[[5f64, 7f64]]] [[[1f64, 1f64]]] [[[1f64, 1f64]]] }
-- output { [[[5f64, 7f64]]] [0f64, 0f64, 0f64] }
-- "even" nobench input { 2i64 [[2i32, 2i32], [2i32, 2i32]] [[[2f64, 2f64], [2f64, 2f64]], [[2f64, 2f64], [2f64, 2f64]]]
--   [[[0f64, 0f64], [0f64, 0f64]], [[0f64, 0f64], [0f64, 0f64]]]
--   [[[0f64, 0f64], [0f64, 0f64]], [[0f64, 0f64], [0f64, 0f64]]] }
-- output { [[[2f64, 2f64], [2f64, 2f64]], [[2f64, 2f64], [2f64, 2f64]]] [16f64, 2f64, 2f64] }
-- "small" compiled script input { basin 4i64 40i64 40i64 25i64 }
-- "medium" compiled script input { basin 10i64 80i64 64i64 40i64 }
-- "large" compiled script input { basin 12i64 150i64 150i64 50i64 }

def dt: f64 = 1
def kappa_h: f64 = 0.05 -- sideways
def kappa_v: f64 = 0.25 -- downwards

-- How much the flux over a face is corrected towards second order, by the ratio of slopes there.
def limiter (r: f64): f64 =
  f64.max 0 (f64.max (f64.min 1 (2 * r)) (f64.min r 2))

def clamp_index (n: i64) (i: i64): i64 = i64.max 0 (i64.min (n - 1) i)

-- Solve a tridiagonal system after Thomas: forwards elimination, then backwards.
def tridag [n] (a: [n]f64) (b: [n]f64) (c: [n]f64) (y: [n]f64): [n]f64 =
  let cp = replicate n 0
  let yp = replicate n 0
  let (cp, yp) =
    loop (cp, yp) for i < n do
      if i == 0
      then (cp with [0] = c[0] / b[0], yp with [0] = y[0] / b[0])
      else
        let m = 1 / (b[i] - a[i] * cp[i - 1])
        in (cp with [i] = c[i] * m, yp with [i] = (y[i] - a[i] * yp[i - 1]) * m)
  in loop x = yp for k < n - 1 do
       let i = n - 2 - k
       in x with [i] = x[i] - cp[i] * x[i + 1]

-- Flux in one direction through the face between a cell and the next, seen from four cells in a row.
def face_flux (u: f64) (before: f64) (here: f64) (next: f64) (after: f64): f64 =
  let slope = next - here
  let upwind_slope = if u > 0 then here - before else after - next
  let r = if f64.abs slope < 1e-12 then 0 else upwind_slope / slope
  let courant = f64.abs (u * dt)
  let corrected = limiter r
  in u * (here + next) * 0.5
     - f64.abs u * ((1 - corrected) + courant * corrected) * slope * 0.5

def wet (k: i64) (depth: i32): bool = k < i64.i32 depth

-- Fluxes over the eastern and the northern faces; nothing goes through land or the edge.
def east_fluxes [nx] [ny] [nz] (depth: [nx][ny]i32) (s: [nx][ny][nz]f64)
                (u: [nx][ny][nz]f64): [nx][ny][nz]f64 =
  tabulate_3d nx ny nz (\i j k ->
    if i + 1 < nx && wet k depth[i, j] && wet k depth[i + 1, j]
    then
      let at d = s[clamp_index nx (i + d), j, k]
      in face_flux u[i, j, k] (at (-1)) (at 0) (at 1) (at 2)
         - kappa_h * (at 1 - at 0)
    else 0)

def north_fluxes [nx] [ny] [nz] (depth: [nx][ny]i32) (s: [nx][ny][nz]f64)
                 (v: [nx][ny][nz]f64): [nx][ny][nz]f64 =
  tabulate_3d nx ny nz (\i j k ->
    if j + 1 < ny && wet k depth[i, j] && wet k depth[i, j + 1]
    then
      let at d = s[i, clamp_index ny (j + d), k]
      in face_flux v[i, j, k] (at (-1)) (at 0) (at 1) (at 2)
         - kappa_h * (at 1 - at 0)
    else 0)

def advect [nx] [ny] [nz] (depth: [nx][ny]i32) (u: [nx][ny][nz]f64)
           (v: [nx][ny][nz]f64) (s: [nx][ny][nz]f64) =
  let fe = east_fluxes depth s u
  let fn = north_fluxes depth s v
  let cell i j k =
    let west = if i > 0 then fe[i - 1, j, k] else 0
    let south = if j > 0 then fn[i, j - 1, k] else 0
    in s[i, j, k] - dt * (fe[i, j, k] - west + fn[i, j, k] - south)
  in tabulate_3d nx ny nz cell

-- Mixing is as strong as the water is unstable: salt over fresh mixes much faster.
def mixing [nz] (column: [nz]f64) (k: i64): f64 =
  if column[k] > column[k + 1] + 0.1 then 8 * kappa_v else kappa_v

-- One column, implicit in time; cells under the bottom keep their value.
def mix_column [nz] (depth: i32) (column: [nz]f64): [nz]f64 =
  let down k =
    if k >= 0 && wet (k + 1) depth && k + 1 < nz
    then dt * mixing column k
    else 0
  let a = tabulate nz (\k -> -(down (k - 1)))
  let c = tabulate nz (\k -> -(down k))
  let b = map2 (\x y -> 1 - x - y) a c
  in tridag a b c column

def step [nx] [ny] [nz] (depth: [nx][ny]i32) (u: [nx][ny][nz]f64)
         (v: [nx][ny][nz]f64) (s: [nx][ny][nz]f64) =
  let moved = advect depth u v s
  in map2 (map2 mix_column) depth moved

-- Total, least and greatest of the wet cells.
def summary [nx] [ny] [nz] (depth: [nx][ny]i32) (s: [nx][ny][nz]f64): [3]f64 =
  let wet_cells =
    map2 (map2 (\d column -> map2 (\k x -> (wet k d, x)) (iota nz) column))
         depth s
    |> flatten_3d |> filter (.0) |> map (.1)
  in if null wet_cells then [0, 0, 0]
     else [f64.sum wet_cells, f64.minimum wet_cells, f64.maximum wet_cells]

entry main [nx] [ny] [nz] (steps: i64) (depth: [nx][ny]i32)
           (s: [nx][ny][nz]f64) (u: [nx][ny][nz]f64) (v: [nx][ny][nz]f64)
           : ([nx][ny][nz]f64, [3]f64) =
  let final = loop s for _t < steps do step depth u v s
  in (final, summary depth final)

-- A basin that is deep in the middle, with an island, a gyre that weakens downwards, and a patch of salt.
entry basin (steps: i64) (nx: i64) (ny: i64) (nz: i64)
            : (i64,
               [nx][ny]i32,
               [nx][ny][nz]f64,
               [nx][ny][nz]f64,
               [nx][ny][nz]f64) =
  let across n i = 2 * (f64.i64 i + 0.5) / f64.i64 n - 1
  let depth =
    tabulate_2d nx ny (\i j ->
      let (x, y) = (across nx i, across ny j)
      let island = (x - 0.3) * (x - 0.3) + (y + 0.2) * (y + 0.2) < 0.02
      in if island
         then 0
         else
           i32.f64 (f64.i64 nz * (1.2 - 0.5 * (x * x + y * y)))
           |> i32.min (i32.i64 nz))
  let fading k = 0.2 / (1 + 0.1 * f64.i64 k)
  let s = tabulate_3d nx ny nz (\i j k ->
            let (x, y) = (across nx i, across ny j)
            in 34 + f64.exp (-6 * (x * x + (y - 0.4) * (y - 0.4)))
               + 0.02 * f64.i64 k * y)
  let u =
    tabulate_3d nx ny nz (\i j k ->
                            let (x, y) = (across nx i, across ny j)
                            in -fading k * y * (1 - x * x))
  let v =
    tabulate_3d nx ny nz (\i j k ->
                            let (x, y) = (across nx i, across ny j)
                            in fading k * x * (1 - y * y))
  in (steps, depth, s, u, v)
