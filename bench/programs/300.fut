-- | A small molecular dynamics program: particles in a periodic box that
-- attract and repel each other, sorted into cells so that only
-- neighbours are looked at.

-- Random numbers.

module type random = {
  type state
  val seed: i32 -> state
  val next: state -> (state, u32)
  val split [n]: (k: i64) -> (s: [n]state) -> [n][k]state
}

module xorshift: random with state = u32 = {
  type state = u32

  def scramble (x: u32): u32 =
    let x = x ^ (x >> 16)
    let x = x * 0x45d9f3b
    let x = x ^ (x >> 16)
    let x = x * 0x45d9f3b
    in x ^ (x >> 16)

  def seed (x: i32): state = scramble (u32.i32 x + 0x9e3779b9)

  def next (s: state): (state, u32) =
    let s = s ^ (s << 13)
    let s = s ^ (s >> 17)
    let s = s ^ (s << 5)
    in (s, s)

  def split [n] (k: i64) (ss: [n]state): [n][k]state =
    map (\s -> tabulate k (\i -> scramble (s ^ u32.i64 i))) ss
}

module distributions (r: random) = {
  -- | Between 0 and 1.
  def uniform (s: r.state): (r.state, f64) =
    let (s, x) = r.next s
    in (s, f64.u32 x / f64.u32 u32.highest)

  -- | By the method of Box and Muller.
  def normal (mean: f64) (deviation: f64) (s: r.state): (r.state, f64) =
    let (s, u) = uniform s
    let (s, v) = uniform s
    let radius = f64.sqrt (-2 * f64.log (f64.max u 1e-12))
    in (s, mean + deviation * radius * f64.cos (2 * f64.pi * v))
}

module dist = distributions xorshift

-- Vectors.

type vec = {x: f64, y: f64, z: f64}

def vec (x: f64) (y: f64) (z: f64): vec = {x, y, z}

def zero: vec = vec 0 0 0

def lift1 (f: f64 -> f64) (a: vec): vec = {x = f a.x, y = f a.y, z = f a.z}

def lift2 (f: f64 -> f64 -> f64) (a: vec) (b: vec): vec =
  {x = f a.x b.x, y = f a.y b.y, z = f a.z b.z}

def (a: vec) +^ (b: vec): vec = lift2 (+) a b
def (a: vec) -^ (b: vec): vec = lift2 (-) a b
def (k: f64) *^ (a: vec): vec = lift1 (k *) a

def dot (a: vec) (b: vec): f64 = a.x * b.x + a.y * b.y + a.z * b.z
def norm (a: vec): f64 = f64.sqrt (dot a a)

def vec_sum [n] (vs: [n]vec): vec = reduce_comm (+^) zero vs

-- The periodic box.

type box = {side: f64, cells: i64}

def wrap (b: box) (p: vec): vec =
  lift1 (\c -> c - b.side * f64.floor (c / b.side)) p

-- | The shortest way from one point to another.
def shortest (b: box) (from: vec) (to: vec): vec =
  let nearest d = d - b.side * f64.round (d / b.side)
  in lift1 nearest (to -^ from)

def cell_of (b: box) (p: vec): (i64, i64, i64) =
  let coordinate c = i64.max 0 (i64.min (b.cells - 1) (i64.f64 (c / b.side * f64.i64 b.cells)))
  in (coordinate p.x, coordinate p.y, coordinate p.z)

def cell_index (b: box) ((i, j, k): (i64, i64, i64)): i64 =
  let inside c = (c + b.cells) % b.cells
  in (inside i * b.cells + inside j) * b.cells + inside k

-- Particles.

type kind = #light | #heavy f64 | #wall {strength: f64, thickness: f64}

type particle = {position: vec, velocity: vec, kind: kind}

def mass (k: kind): f64 =
  match k
  case #light -> 1
  case #heavy m -> m
  case #wall w -> 1e6 * w.thickness

def charge (k: kind): f64 =
  match k
  case #light -> 1
  case #heavy m -> f64.sqrt m
  case #wall {strength, thickness = _} -> strength

def is_mobile (k: kind): bool =
  match k
  case #wall _ -> false
  case _ -> true

-- Forces.

type potential =
    #lennard_jones {depth: f64, radius: f64}
  | #harmonic f64
  | #none

def cutoff: f64 = 2.5

-- | Force along the distance, positive when it pulls, and energy.
def pair_force (p: potential) (r: f64): (f64, f64) =
  match p
  case #lennard_jones {depth, radius} ->
    if r > cutoff * radius || r == 0
    then (0, 0)
    else let s6 = (radius / r) ** 6
         let s12 = s6 * s6
         in (24 * depth * (s6 - 2 * s12) / r, 4 * depth * (s12 - s6))
  case #harmonic k -> (k * r, 0.5 * k * r * r)
  case #none -> (0, 0)

def interaction (b: box) (p: potential) (a: particle) (c: particle): (vec, f64) =
  let d = shortest b a.position c.position
  let r = norm d
  let (force, energy) = pair_force p r
  let scale = charge a.kind * charge c.kind
  in if r == 0
     then (zero, 0)
     else ((scale * force / r) *^ d, scale * energy)

-- Sorting by cells.

-- | A stable sort by one bit after the other.
def radix_sort_by [n] 't (bits: i32) (key: t -> i64) (xs: [n]t): [n]t =
  let by_bit [m] (bit: i32) (xs: [m]t): [m]t =
    let ones = map (\x -> i64.get_bit bit (key x)) xs
    let zeros = map (1 -) ones
    let zero_places = scan (+) 0 (map i64.i32 zeros)
    let zero_count = if m == 0 then 0 else zero_places[m - 1]
    let one_places = scan (+) 0 (map i64.i32 ones)
    let place o zp op = if o == 0 then zp - 1 else zero_count + op - 1
    in scatter (copy xs) (map3 place ones zero_places one_places) xs
  in loop xs for bit < bits do by_bit bit xs

type~ grid = ?[n][c].{particles: [n]particle, starts: [c]i64}

def make_grid [n] (b: box) (ps: [n]particle): grid =
  let key (p: particle) = cell_index b (cell_of b p.position)
  let sorted = radix_sort_by 24 key ps
  let total = b.cells ** 3
  let counts = hist (+) 0 total (map key sorted) (replicate n 1)
  let ends = scan (+) 0 counts
  let starts = map2 (-) ends counts
  in {particles = sorted, starts = starts ++ [n]}

def around: [27](i64, i64, i64) =
  tabulate 27 (\i -> (i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1))

-- | The force on one particle by those in its own and neighbouring cells.
def force_on (b: box) (p: potential) (g: grid) (a: particle): (vec, f64) =
  let (i, j, k) = cell_of b a.position
  let from_cell (di, dj, dk) =
    let c = cell_index b (i + di, j + dj, k + dk)
    in loop (force, energy) = (zero, 0f64)
       for other in g.particles[g.starts[c]:g.starts[c + 1]] do
         let (f, e) = interaction b p a other
         in (force +^ f, energy + e / 2)
  let add (f, e) (f', e') = (f +^ f', e + e')
  in reduce add (zero, 0) (map from_cell around)

-- Integration.

module type integrator = {
  val step [n]: (forces: [n]particle -> [n]vec) -> (dt: f64) -> (ps: [n]particle) -> [n]particle
}

def kick (dt: f64) (force: vec) (p: particle): particle =
  if is_mobile p.kind
  then p with velocity = p.velocity +^ ((dt / mass p.kind) *^ force)
  else p

def drift (dt: f64) (p: particle): particle =
  p with position = p.position +^ (dt *^ p.velocity)

module euler: integrator = {
  def step [n] (forces: [n]particle -> [n]vec) (dt: f64) (ps: [n]particle): [n]particle =
    map (drift dt) (map2 (kick dt) (forces ps) ps)
}

module leapfrog: integrator = {
  def step [n] (forces: [n]particle -> [n]vec) (dt: f64) (ps: [n]particle): [n]particle =
    let ps = map2 (kick (dt / 2)) (forces ps) ps
    let ps = map (drift dt) ps
    in map2 (kick (dt / 2)) (forces ps) ps
}

module simulation (i: integrator) = {
  def run [n] (b: box) (p: potential) (dt: f64) (steps: i32) (start: [n]particle): [n]particle =
    let forces [m] (ps: [m]particle): [m]vec =
      let g = make_grid b ps
      in map (\a -> (force_on b p g a).0) ps
    in loop ps = start for _i < steps do
         map (\(q: particle) -> q with position = wrap b q.position) (i.step forces dt ps)
}

module accurate = simulation leapfrog
module quick = simulation euler

-- Measurements.

type report [k] = {kinetic: f64, potential: f64, momentum: vec, histogram: [k]i64}

def kinetic_energy [n] (ps: [n]particle): f64 =
  f64.sum (map (\p -> 0.5 * mass p.kind * dot p.velocity p.velocity) ps)

def measure [n] (b: box) (pot: potential) (bins: i64) (ps: [n]particle): report [bins] =
  let g = make_grid b ps
  let speeds = map (\p -> norm p.velocity) ps
  let fastest = f64.maximum speeds
  let bin s = if fastest == 0 then 0 else i64.min (bins - 1) (i64.f64 (s / fastest * f64.i64 bins))
  in { kinetic = kinetic_energy ps
     , potential = f64.sum (map (\p -> (force_on b pot g p).1) ps)
     , momentum = vec_sum (map (\p -> mass p.kind *^ p.velocity) ps)
     , histogram = hist (+) 0 bins (map bin speeds) (replicate n 1)
     }

-- | Scale all velocities so that the kinetic energy is as wanted.
def thermostat [n] (wanted: f64) (ps: *[n]particle): *[n]particle =
  let actual = kinetic_energy ps
  let factor = if actual == 0 then 1 else f64.sqrt (wanted / actual)
  in loop ps for i < n do
       let p = copy ps[i]
       in ps with [i] = (p with velocity = factor *^ p.velocity)

-- Setting up.

def initial (b: box) (n: i64) (seed: i32): *[n]particle =
  let states = flatten (xorshift.split n [xorshift.seed seed])
  let make (s: xorshift.state): particle =
    let (s, x) = dist.uniform s
    let (s, y) = dist.uniform s
    let (s, z) = dist.uniform s
    let (s, vx) = dist.normal 0 1 s
    let (s, vy) = dist.normal 0 1 s
    let (s, vz) = dist.normal 0 1 s
    let (_, choice) = dist.uniform s
    let kind: kind =
      if choice < 0.7 then #light
      else if choice < 0.95 then #heavy (1 + 10 * choice)
      else #wall {strength = 2, thickness = choice}
    let velocity = if is_mobile kind then vec vx vy vz else zero
    in {position = b.side *^ vec x y z, velocity, kind}
  in map make (sized n states)

entry simulate (n: i64) (steps: i32) (seed: i32): (f64, f64, []i64) =
  let b: box = {side = 20, cells = 8}
  let p: potential = #lennard_jones {depth = 1, radius = 1}
  let start = thermostat (1.5 * f64.i64 n) (initial b n seed)
  let end = accurate.run b p 0.001 steps start
  let r = measure b p 32 end
  in (r.kinetic, r.potential, r.histogram)

-- | How far the two ways to integrate end up from each other.
entry compare_integrators (n: i64) (steps: i32): f64 =
  let b: box = {side = 10, cells = 4}
  let p: potential = #harmonic 0.1
  let start = initial b n 42
  let a = accurate.run b p 0.01 steps start
  let c = quick.run b p 0.01 steps start
  let apart (q: particle) (r: particle) = norm (shortest b q.position r.position)
  in f64.maximum (map2 apart a c)
