-- A particle filter that follows a target in the plane: the target moves with a velocity that changes a little at
-- random, four sensors measure its distance with noise, and a cloud of weighted particles is moved, weighed by the
-- measurements, and resampled systematically when too few particles carry the weight.
-- ==
-- entry: main
-- nobench input { 1i64 5i64 [[50f64, 60f64, 70f64, 80f64]] }
-- output { [[56.2836096f64, 63.4311476f64]] 0i32 }
-- nobench input { 64i64 9i64 [[74f64, 74f64, 67f64, 67f64], [75f64, 71f64, 71f64, 66f64], [76f64, 67f64, 74f64,
--   66f64], [77f64, 64f64, 78f64, 65f64], [78f64, 60f64, 82f64, 65f64]] }
-- output { [[51.8272017f64, 56.3591623f64], [51.5106373f64, 54.7836781f64], [52.6391374f64, 52.6990548f64],
--   [52.7139927f64, 52.8046795f64], [53.4761007f64, 52.9349535f64]] 5i32 }
-- "small" compiled script input { target 2000i64 20i64 }
-- "medium" compiled script input { target 10000i64 50i64 }
-- "large" compiled script input { target 40000i64 60i64 }

module type rng = {
  type state
  val from: i64 -> i64 -> state
  val uniform: state -> (f64, state)
}

-- A counter that is hashed: every particle has its own row of numbers.
module counter_rng: rng = {
  type state = u64
  def from (seed: i64) (row: i64): state =
    u64.i64 seed * 0x9e3779b97f4a7c15 + u64.i64 row * 0xd1342543de82ef95
  def mix (z: u64): u64 =
    let z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9
    let z = (z ^ z >> 27) * 0x94d049bb133111eb
    in z ^ z >> 31
  def uniform (s: state): (f64, state) =
    let s = s + 0x9e3779b97f4a7c15
    in (f64.u64 (mix s >> 11) / 9007199254740992, s)
}

module mk_normal (R: rng) = {
  def pair (s: R.state): ((f64, f64), R.state) =
    let (u1, s) = R.uniform s
    let (u2, s) = R.uniform s
    let r = f64.sqrt (-2 * f64.log (1 - u1))
    in ((r * f64.cos (2 * f64.pi * u2), r * f64.sin (2 * f64.pi * u2)), s)
}

module normal = mk_normal counter_rng

type particle = {x: f64, y: f64, vx: f64, vy: f64}

def sensors: [4](f64, f64) = [(0, 0), (100, 0), (0, 100), (100, 100)]

def distances (x: f64) (y: f64): [4]f64 =
  map (\(a, b) -> f64.sqrt ((x - a) * (x - a) + (y - b) * (y - b))) sensors

def move (seed: i64) (i: i64) (p: particle): particle =
  let s = counter_rng.from seed i
  let ((a, b), s) = normal.pair s
  let ((c, d), _) = normal.pair s
  let vx = p.vx + 0.2 * a
  let vy = p.vy + 0.2 * b
  in {x = p.x + vx + 0.1 * c, y = p.y + vy + 0.1 * d, vx, vy}

-- The logarithm of the likelihood of the measurements.
def log_likelihood (measured: [4]f64) (p: particle): f64 =
  map2 (\z d -> let e = (z - d) / 2 in -0.5 * e * e) measured
       (distances p.x p.y)
  |> f64.sum

def normalise [n] (ws: [n]f64): [n]f64 =
  let total = f64.sum ws
  in map (/ total) ws

def effective [n] (ws: [n]f64): f64 = 1 / f64.sum (map (\w -> w * w) ws)

-- The first place in a rising array that is not below a value.
def lower_bound [n] (xs: [n]f64) (x: f64): i64 =
  let (l, _) =
    loop (l, r) = (0, n - 1) while l < r do
      let m = (l + r) / 2
      in if xs[m] < x then (m + 1, r) else (l, m)
  in l

def resample [n] (u: f64) (ws: [n]f64) (ps: [n]particle): [n]particle =
  let sums = scan (+) 0 ws
  let pick i = ps[lower_bound sums ((f64.i64 i + u) / f64.i64 n)]
  in map pick (iota n)

def mean_place [n] (ws: [n]f64) (ps: [n]particle): (f64, f64) =
  map2 (\w p -> (w * p.x, w * p.y)) ws ps
  |> reduce_comm (\(a, b) (c, d) -> (a + c, b + d)) (0, 0)

entry main [t] (n: i64) (seed: i64) (measurements: [t][4]f64)
           : ([t][2]f64, i32) =
  let scatter_start i =
    let ((a, b), s) = normal.pair (counter_rng.from seed i)
    let ((c, d), _) = normal.pair s
    in {x = 50 + 15 * a, y = 50 + 15 * b, vx = c, vy = d}
  let start = map scatter_start (iota n)
  let even = replicate n (1 / f64.i64 n)
  let (_, _, track, resampled) =
    loop (ps, ws, track, resampled) = (start, even, replicate t [0, 0], 0)
    for k < t do
      let ps = map2 (move (seed + k + 1)) (iota n) ps
      let logs = map (log_likelihood measurements[k]) ps
      let top = f64.maximum logs
      let ws = map2 (\w l -> w * f64.exp (l - top)) ws logs |> normalise
      let (x, y) = mean_place ws ps
      let track = track with [k] = [x, y]
      in if effective ws < 0.5 * f64.i64 n
         then
           let (u, _) = counter_rng.uniform (counter_rng.from (seed + k) (-1))
           in (resample u ws ps, even, track, resampled + 1)
         else (ps, ws, track, resampled)
  in (track, resampled)

-- A target on a bent way, and what the sensors say.
entry target (n: i64) (t: i64): (i64, i64, [t][4]f64) =
  let measure k =
    let a = f64.i64 k / 12
    let d =
      distances (50 + 25 * f64.sin a)
                (55 + 20 * f64.cos (1.3 * a) - 10 * a / (a + 3))
    let ((n0, n1), s) = normal.pair (counter_rng.from 4711 k)
    let ((n2, n3), _) = normal.pair s
    in map2 (+) d [n0, n1, n2, n3]
  in (n, 42, map measure (iota t))
