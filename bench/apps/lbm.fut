-- Lattice Boltzmann in two dimensions with nine directions: a fluid in a channel that closes on itself flows around
-- a cylinder, driven by a small force. One step is a collision (relaxation towards the local equilibrium) and a
-- streaming; solid cells throw everything back. The answer is density and velocity of every cell, and the mass.
-- ==
-- entry: main
-- nobench input { 1i32 0.1f32 0.01f32 [[false, false, false], [true, false, true]] }
-- output { [[0.9818467f32, 0.99964f32, 1.018513f32], [0.9636933f32, 0.99928f32, 1.037027f32]] [[0.04225371f32,
--   0.02334174f32, 0.04108603f32], [0f32, -0.01334294f32, 0f32]] [[0f32, 0f32, 0f32], [0f32, 0f32, 0f32]] 6f32 }
-- nobench input { 5i32 0.05f32 0.001f32 [[true, true, true, true], [false, false, false, false], [false, true,
--   false, false], [false, false, false, false]] }
-- output { [[1.002806f32, 1.00096f32, 0.9962328f32, 0.999696f32], [1.021893f32, 1.001171f32, 0.9799401f32,
--   0.9974213f32], [1.013445f32, 0.9981559f32, 0.9891287f32, 0.9987242f32], [1.021893f32, 1.001171f32,
--   0.9799401f32, 0.9974213f32]] [[0f32, 0f32, 0f32, 0f32], [0.003182617f32, 0.0168447f32, 0.003728661f32,
--   -0.0183609f32], [-0.005749655f32, 0f32, -0.004936698f32, 0.01188206f32], [0.003182617f32, 0.0168447f32,
--   0.003728661f32, -0.0183609f32]] [[0f32, 0f32, 0f32, 0f32], [-0.001613569f32, 1.45167e-05f32, 0.001590517f32,
--   3.789944e-05f32], [-5.477469e-17f32, 0f32, -3.507579e-18f32, -3.821267e-17f32], [0.001613569f32,
--   -1.45167e-05f32, -0.001590517f32, -3.789944e-05f32]] 16f32 }
-- "small" compiled script input { channel 20i32 50i64 100i64 }
-- "medium" compiled script input { channel 40i32 128i64 200i64 }
-- "large" compiled script input { channel 35i32 256i64 500i64 }

-- rest, east, north, west, south, north-east, north-west, south-west, south-east
def ex: [9]i64 = [0, 1, 0, -1, 0, 1, -1, -1, 1]
def ey: [9]i64 = [0, 0, -1, 0, 1, -1, -1, 1, 1]
def weight: [9]f32 =
  [4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36]
def opposite: [9]i64 = [0, 3, 4, 1, 2, 7, 8, 5, 6]

type cell = [9]f32
type moments = {rho: f32, ux: f32, uy: f32}

def moments (f: cell): moments =
  let rho = f32.sum f
  let jx = f32.sum (map2 (\e x -> f32.i64 e * x) ex f)
  let jy = f32.sum (map2 (\e x -> f32.i64 e * x) ey f)
  in {rho, ux = jx / rho, uy = jy / rho}

def equilibrium (m: moments): cell =
  let square = m.ux * m.ux + m.uy * m.uy
  let along w x y =
    let eu = f32.i64 x * m.ux + f32.i64 y * m.uy
    in w * m.rho * (1 + 3 * eu + 4.5 * eu * eu - 1.5 * square)
  in map3 along weight ex ey

def bounce (f: cell): cell = map (\k -> f[opposite[k]]) (iota 9)

def collide (omega: f32) (force: f32) (solid: bool) (f: cell): cell =
  if solid then bounce f
  else
    let m = moments f
    let eq = equilibrium (m with ux = m.ux + force / omega)
    in map2 (\x e -> x + omega * (e - x)) f eq

def stream [h] [w] (grid: [h][w]cell): [h][w]cell =
  tabulate_2d h w (\i j ->
    map3 (\k dx dy -> grid[(i - dy + h) % h, (j - dx + w) % w, k]) (iota 9) ex
         ey)

def step [h] [w] (omega: f32) (force: f32) (solid: [h][w]bool)
         (grid: [h][w]cell): [h][w]cell =
  stream (map2 (map2 (collide omega force)) solid grid)

entry main [h] [w] (steps: i32) (viscosity: f32) (force: f32)
           (solid: [h][w]bool)
           : ([h][w]f32, [h][w]f32, [h][w]f32, f32) =
  let omega = 1 / (3 * viscosity + 0.5)
  let still = equilibrium {rho = 1, ux = 0.05, uy = 0}
  let grid = replicate h (replicate w still)
  let grid = loop grid for _t < steps do step omega force solid grid
  let (rho, ux, uy) =
    unzip3 (map2 (\ss fs -> unzip3 (map2 (\s f ->
                                            let m = moments f
                                            in if s
                                               then (m.rho, 0, 0)
                                               else (m.rho, m.ux, m.uy))
                                         ss fs))
                 solid grid)
  let mass = flatten rho |> map f64.f32 |> f64.sum |> f32.f64
  in (rho, ux, uy, mass)

-- Walls above and below, and a cylinder a little off the middle.
entry channel (steps: i32) (h: i64) (w: i64): (i32, f32, f32, [h][w]bool) =
  let solid i j =
    let y = f32.i64 i - 0.48 * f32.i64 h
    let x = f32.i64 j - 0.25 * f32.i64 w
    let r = 0.12 * f32.i64 h
    in i == 0 || i == h - 1 || x * x + y * y < r * r
  in (steps, 0.05, 0.0001, tabulate_2d h w solid)
