-- A fluid on a lattice with nine speeds, some steps of collisions and streaming in a box that goes on at its ends, and
-- the energy in the end by the speeds in the beginning and the viscosity.
-- ==
-- entry: check
-- nobench input { 4i64 5i64 3i64 } output { true }

-- ==
-- entry: primal gradient
-- "64 by 64, 100 steps" compiled script input { data 64i64 64i64 100i64 }
-- "256 by 256, 30 steps" compiled script input { data 256i64 256i64 30i64 }

import "../lib/random"

def dxs: [9]i64 = [0, 1, 0, -1, 0, 1, -1, -1, 1]
def dys: [9]i64 = [0, 0, 1, 0, -1, 1, 1, -1, -1]
def shares: [9]f64 =
  [4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36]

def density_and_speed (f: [9]f64): (f64, f64, f64) =
  let density = f64.sum f
  let x = f64.sum (map2 (\f d -> f * f64.i64 d) f dxs)
  let y = f64.sum (map2 (\f d -> f * f64.i64 d) f dys)
  in (density, x / density, y / density)

def collide (omega: f64) (f: [9]f64): [9]f64 =
  let (density, x, y) = density_and_speed f
  let squared = x * x + y * y
  in map4 (\f share dx dy ->
             let along = x * f64.i64 dx + y * f64.i64 dy
             let rest =
               density * share
               * (1 + 3 * along + 4.5 * along * along - 1.5 * squared)
             in f + omega * (rest - f))
          f shares dxs dys

def step [n] [m] (omega: f64) (grid: [n][m][9]f64): [n][m][9]f64 =
  let collided = map (map (collide omega)) grid
  in tabulate_2d n m (\i j ->
       map3 (\k dx dy -> collided[(i - dx + n) % n, (j - dy + m) % m, k])
            (iota 9) dxs dys)

def energy [n] [m] (steps: i64) (omega: f64) (start: [n][m][9]f64): f64 =
  let end = loop grid = start for _i < steps do step omega grid
  in f64.sum (map (\row ->
                     f64.sum (map (\f ->
                                     let (d, x, y) = density_and_speed f
                                     in d * (x * x + y * y))
                                  row))
                  end)

entry primal [n] [m] (steps: i64) (omega: f64) (start: [n][m][9]f64): f64 =
  energy steps omega start

entry gradient [n] [m] (steps: i64) (omega: f64) (start: [n][m][9]f64)
               : (f64, [n][m][9]f64) =
  vjp (\(omega, start) -> energy steps omega start) (omega, start) 1

entry data (n: i64) (m: i64) (steps: i64) =
  (steps, 1.2f64,
   tabulate_2d n m (\i j ->
                      tabulate 9 (\k ->
                                    shares[k]
                                    * (1
                                       + random.at 1 ((i * m + j) * 9 + k)
                                         / 4))))

entry check (n: i64) (m: i64) (steps: i64): bool =
  let (_, omega, start) = data n m steps
  let (by_omega, by_start) = gradient steps omega start
  let direction =
    tabulate_2d n m (\i j -> map (/ 9) (random.vector (i32.i64 (i * m + j)) 9))
  let at h =
    energy steps (omega + h) (map2 (map2 (random.along h)) direction start)
  in random.agree at
                  (by_omega
                   + f64.sum (map2 (\x y -> f64.sum (map2 random.dot x y))
                                   direction by_start))
