-- Bodies that attract each other, by Barnes and Hut: the bodies are sorted along a Morton curve, a balanced binary
-- tree over them is kept like a heap, every node knows its box, its mass and its centre of mass, and every body walks
-- the tree without a stack, opening only nodes that look large from where it is.
-- ==
-- entry: main
-- nobench input { 2i32 0f32 0.1f32 [[-3.25f32, -2.75f32, -2.75f32], [1.75f32, -1.5f32, 0.75f32], [0f32, -0.75f32,
--   -3.5f32], [-1.5f32, 2.75f32, 2.25f32], [4f32, 1.75f32, 3f32]] [[1f32, 0f32, -1f32], [-1f32, 0.25f32, 0.75f32],
--   [0.25f32, 0.5f32, 0.5f32], [1f32, -0.5f32, 1f32], [-0.5f32, -0.25f32, -0.25f32]] [1f32, 2f32, 3f32, 2f32, 2f32]
--   }
-- output { [[-3.043115f32, -2.745566f32, -2.949201f32], [1.548172f32, -1.445865f32, 0.8977205f32], [0.04954344f32,
--   -0.6505711f32, -3.395277f32], [-1.296684f32, 2.646814f32, 2.447773f32], [3.895754f32, 1.697691f32,
--   2.947021f32]] [[1.046018f32, 0.02980464f32, -0.9943772f32], [-1.012008f32, 0.2777756f32, 0.7347449f32],
--   [0.2468643f32, 0.4960748f32, 0.531528f32], [1.022265f32, -0.5213557f32, 0.9850283f32], [-0.5285618f32,
--   -0.2654345f32, -0.2698767f32]] }
-- nobench input { 3i32 0.6f32 0.1f32 [[4f32, 4f32, 1.75f32], [4f32, -1.25f32, 3f32], [2.5f32, 1.75f32, 1.5f32],
--   [1.75f32, 3f32, -1.5f32], [2.25f32, 3.25f32, -0.25f32], [3.75f32, 0.25f32, 3.75f32], [4f32, 4f32, 1.5f32],
--   [3.25f32, 3.25f32, 1.5f32], [3.25f32, 3.75f32, -0.5f32], [1f32, -1.5f32, 0.25f32], [3.5f32, 0.75f32, 0.75f32]]
--   [[1f32, 1f32, 1f32], [1f32, 0.5f32, 0f32], [-0.25f32, 0.75f32, 1f32], [0.25f32, -0.75f32, 0.25f32], [-1f32,
--   -0.25f32, -0.75f32], [-1f32, -1f32, 0f32], [-0.25f32, -0.75f32, 1f32], [-0.5f32, 0f32, -0.25f32], [-0.25f32,
--   -1f32, 0.5f32], [-1f32, -1f32, 0.25f32], [0.25f32, -0.5f32, -0.25f32]] [1f32, 1f32, 1f32, 1f32, 1f32, 1f32,
--   1f32, 3f32, 3f32, 2f32, 2f32] }
-- output { [[3.943708f32, 3.858603f32, 1.741602f32], [4.282778f32, -1.052898f32, 2.985785f32], [2.495935f32,
--   2.031549f32, 1.75134f32], [1.891929f32, 2.791925f32, -1.328666f32], [2.104034f32, 3.200382f32, -0.4635327f32],
--   [3.448193f32, -0.04553402f32, 3.701943f32], [4.013709f32, 3.959617f32, 1.972496f32], [3.15184f32, 3.279649f32,
--   1.378451f32], [3.124671f32, 3.3985f32, -0.27439f32], [0.7200647f32, -1.771555f32, 0.331078f32], [3.550818f32,
--   0.6619186f32, 0.6914352f32]] [[-0.898075f32, -1.343222f32, 0.8470344f32], [0.9058195f32, 0.7366316f32,
--   -0.06923169f32], [0.1047396f32, 1.04954f32, 0.7451103f32], [0.5892843f32, -0.6549459f32, 0.753256f32],
--   [-0.2139059f32, -0.1429375f32, -0.6810739f32], [-1.001092f32, -0.9790911f32, -0.242086f32], [0.3242209f32,
--   0.3497404f32, 0.4367759f32], [-0.2522351f32, 0.1290949f32, -0.4815166f32], [-0.5071211f32, -1.252862f32,
--   0.8792477f32], [-0.9004079f32, -0.859192f32, 0.2797017f32], [0.1354516f32, -0.1897946f32, -0.1715669f32]] }
-- "small" compiled script input { galaxy 1i32 2000i64 }
-- "medium" compiled script input { galaxy 2i32 10000i64 }
-- "large" compiled script input { galaxy 2i32 50000i64 }

type vec = (f32, f32, f32)

def vadd (a: vec) (b: vec): vec = (a.0 + b.0, a.1 + b.1, a.2 + b.2)
def vsub (a: vec) (b: vec): vec = (a.0 - b.0, a.1 - b.1, a.2 - b.2)
def vscale (s: f32) (a: vec): vec = (s * a.0, s * a.1, s * a.2)
def vdot (a: vec) (b: vec): f32 = a.0 * b.0 + a.1 * b.1 + a.2 * b.2
def vmin (a: vec) (b: vec): vec =
  (f32.min a.0 b.0, f32.min a.1 b.1, f32.min a.2 b.2)
def vmax (a: vec) (b: vec): vec =
  (f32.max a.0 b.0, f32.max a.1 b.1, f32.max a.2 b.2)

def everywhere: vec = (f32.inf, f32.inf, f32.inf)
def nowhere: vec = (-f32.inf, -f32.inf, -f32.inf)

type body = {place: vec, velocity: vec, mass: f32}

-- ---- Morton codes

-- Ten bits with two zeros between each two of them.
def spread (x: u32): u32 =
  let x = (x | x << 16) & 0x030000ff
  let x = (x | x << 8) & 0x0300f00f
  let x = (x | x << 4) & 0x030c30c3
  in (x | x << 2) & 0x09249249

def morton (low: vec) (size: f32) (p: vec): u32 =
  let cell (x: f32) = u32.f32 (f32.max 0 (f32.min 1023 (1024 * x / size)))
  let (x, y, z) = vsub p low
  in spread (cell x) << 2 | spread (cell y) << 1 | spread (cell z)

-- ---- radix sort, one bit at a time, of (key, value)

def sort_step 'v [n] (kvs: [n](u32, v)) (bit: i32): [n](u32, v) =
  let ones = map (\(k, _) -> i64.i32 (u32.get_bit bit k)) kvs
  let zeros = map (1 -) ones
  let zeros_before = scan (+) 0 zeros
  let ones_before = scan (+) 0 ones
  let number_of_zeros = i64.sum zeros
  let place one z o = if one == 0 then z - 1 else number_of_zeros + o - 1
  in scatter (copy kvs) (map3 place ones zeros_before ones_before) kvs

def sort_by_code 'v [n] (kvs: [n](u32, v)): [n](u32, v) =
  loop kvs for bit < 30 do sort_step kvs bit

-- ---- the tree

type node = {low: vec, high: vec, mass: f32, centre: vec}

def empty: node =
  {low = everywhere, high = nowhere, mass = 0, centre = (0, 0, 0)}

def leaf (b: body): node =
  {low = b.place, high = b.place, mass = b.mass, centre = b.place}

def join (a: node) (b: node): node =
  let mass = a.mass + b.mass
  let centre =
    if mass == 0 then (0, 0, 0)
    else
      vscale (1 / mass) (vadd (vscale a.mass a.centre) (vscale b.mass b.centre))
  in {low = vmin a.low b.low, high = vmax a.high b.high, mass, centre}

def levels (n: i64): i64 = loop l = 0 while 1 << l < n do l + 1

-- Node 1 is the root, nodes 2 i and 2 i + 1 are the children of node i.
def build [n] (depth: i64) (bodies: [n]body): []node =
  let leaves = 1 << depth
  let tree = replicate (2 * leaves) empty
  let tree[leaves:leaves + n] = map leaf bodies
  in loop tree for l < depth do
       let first = 1 << (depth - 1 - l)
       let level =
         map (\i -> join tree[2 * (first + i)] tree[2 * (first + i) + 1])
             (iota first)
       in tree with [first:2 * first] = level

def width (n: node): f32 =
  let (x, y, z) = vsub n.high n.low
  in f32.max x (f32.max y z)

-- The node after this one and all that is below it; 1 when there is none.
def next (i: i64): i64 = let j = i + 1 in j >> i64.i32 (i64.ctz j)

def acceleration (theta: f32) (leaves: i64) (tree: []node) (p: vec): vec =
  let (a, _) =
    loop (a, i) = ((0, 0, 0), 1) while i != 0 do
      let n = tree[i]
      let d = vsub n.centre p
      let r2 = vdot d d + 0.0001
      let w = width n
      in if n.mass == 0 then (a, let j = next i in if j == 1 then 0 else j)
         else if i >= leaves || w * w < theta * theta * r2
         then
           (vadd a (vscale (n.mass / (r2 * f32.sqrt r2)) d),
            let j = next i in if j == 1 then 0 else j)
         else (a, 2 * i)
  in a

def step [n] (theta: f32) (dt: f32) (bodies: [n]body): [n]body =
  let places = map (.place) bodies
  let low = reduce_comm vmin everywhere places
  let high = reduce_comm vmax nowhere places
  let (sx, sy, sz) = vsub high low
  let size = f32.max 1e-6 (f32.max sx (f32.max sy sz))
  let (_, order) =
    unzip (sort_by_code (zip (map (morton low size) places) (iota n)))
  let depth = levels n
  let tree = build depth (map (\i -> bodies[i]) order)
  let advance (b: body): body =
    let a = acceleration theta (1 << depth) tree b.place
    let velocity = vadd b.velocity (vscale dt a)
    in b with velocity = velocity with place = vadd b.place (vscale dt velocity)
  in map advance bodies

entry main [n] (steps: i32) (theta: f32) (dt: f32) (places: [n][3]f32)
           (velocities: [n][3]f32) (masses: [n]f32)
           : ([n][3]f32, [n][3]f32) =
  let vec (v: [3]f32): vec = (v[0], v[1], v[2])
  let array (v: vec): [3]f32 = [v.0, v.1, v.2]
  let start =
    map3 (\p v m -> {place = vec p, velocity = vec v, mass = m}) places
         velocities masses
  let end = loop bodies = start for _i < steps do step theta dt bodies
  in (map (\b -> array b.place) end, map (\b -> array b.velocity) end)

-- A flat galaxy that turns.
entry galaxy (steps: i32) (n: i64)
             : (i32, f32, f32, [n][3]f32, [n][3]f32, [n]f32) =
  let body i =
    let a = 2.399963 * f32.i64 (i % 100003)
    let r = f32.sqrt ((f32.i64 i + 0.5) / f32.i64 n)
    let h = 0.1 * f32.sin (f32.i64 (i * 37 % 1009))
    let v = 0.7 * f32.sqrt r
    in ([r * f32.cos a, r * f32.sin a, h], [-v * f32.sin a, v * f32.cos a, 0],
        1 / f32.i64 n)
  let (p, v, m) = unzip3 (map body (iota n))
  in (steps, 0.7, 0.01, p, v, m)
