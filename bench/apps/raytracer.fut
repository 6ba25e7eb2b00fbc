-- A ray tracer: spheres over a chequered plane, a lamp with shadows, a sky, and mirrors that are followed for a few
-- bounces. Every pixel becomes a colour packed into a u32 as alpha, red, green, blue.
-- ==
-- entry: main
-- nobench input { 6i64 4i64 2i32 0i64 }
-- output { [0.5388889f32, 0.6114379f32, 0.7566993f32] 0.25f32 }
-- nobench input { 20i64 14i64 3i32 7i64 }
-- output { [0.5035014f32, 0.5691176f32, 0.7035434f32] 0.3214286f32 }
-- "small" compiled input { 160i64 120i64 3i32 20i64 }
-- "medium" compiled input { 400i64 300i64 4i32 50i64 }
-- "large" compiled input { 800i64 600i64 4i32 100i64 }

module type vspace = {
  type real
  type vec = {x: real, y: real, z: real}
  val +: vec -> vec -> vec
  val -: vec -> vec -> vec
  val *: vec -> vec -> vec
  val scale: real -> vec -> vec
  val dot: vec -> vec -> real
  val norm: vec -> real
  val normalise: vec -> vec
  val reflect: vec -> vec -> vec
}

module mk_vspace (R: float): vspace with real = R.t = {
  type real = R.t
  type vec = {x: real, y: real, z: real}
  def map2 (f: real -> real -> real) (a: vec) (b: vec): vec =
    {x = f a.x b.x, y = f a.y b.y, z = f a.z b.z}
  def dot (a: vec) (b: vec) = R.(a.x * b.x + a.y * b.y + a.z * b.z)
  def scale (s: real) (a: vec): vec =
    R.({x = s * a.x, y = s * a.y, z = s * a.z})
  def (+) = map2 (R.+)
  def (-) = map2 (R.-)
  def (*) = map2 (R.*)
  def norm v = R.sqrt (dot v v)
  def normalise v = scale R.(i32 1 / norm v) v
  def reflect v n = v - scale R.(i32 2 * dot v n) n
}

module v3 = mk_vspace f32
type vec = v3.vec

def vec (x: f32) (y: f32) (z: f32): vec = {x, y, z}

type colour = vec
type ray = {origin: vec, direction: vec}
type material = {colour: colour, shine: f32, chequered: bool}
type object =
    #sphere {centre: vec, radius: f32, material: material}
  | #plane {normal: vec, distance: f32, material: material}

type hit = #miss | #hit {t: f32, at: vec, normal: vec, material: material}

def epsilon: f32 = 1e-3

def at (r: ray) (t: f32): vec = v3.(r.origin + scale t r.direction)

def intersect (r: ray) (o: object): hit =
  match o
  case #sphere s ->
    let oc = r.origin v3.- s.centre
    let b = v3.dot oc r.direction
    let c = v3.dot oc oc - s.radius * s.radius
    let disc = b * b - c
    in if disc < 0 then #miss
       else
         let root = f32.sqrt disc
         let t = if -b - root > epsilon then -b - root else -b + root
         in if t <= epsilon then #miss
            else
              let p = at r t
              in #hit {t,
                       at = p,
                       normal = v3.normalise (p v3.- s.centre),
                       material = s.material}
  case #plane p ->
    let d = v3.dot p.normal r.direction
    in if f32.abs d < 1e-6 then #miss
       else
         let t = (p.distance - v3.dot p.normal r.origin) / d
         in if t <= epsilon then #miss
            else
              #hit {t, at = at r t,
                    normal = if d < 0 then p.normal else v3.scale (-1) p.normal,
                    material = p.material}

def closer (a: hit) (b: hit): hit =
  match (a, b)
  case (#miss, _) -> b
  case (_, #miss) -> a
  case (#hit x, #hit y) -> if y.t < x.t then b else a

def first_hit [n] (objects: [n]object) (r: ray): hit =
  loop best = #miss : hit for o in objects do closer best (intersect r o)

def in_shadow [n] (objects: [n]object) (p: vec) (lamp: vec): bool =
  let to_lamp = lamp v3.- p
  let far = v3.norm to_lamp
  let r = {origin = p, direction = v3.scale (1 / far) to_lamp}
  let blocks o =
    match intersect r o
    case #miss -> false
    case #hit h -> h.t < far
  in any blocks objects

def sky (d: vec): colour =
  let t = 0.5 * (d.y + 1)
  in v3.(scale (1 f32.- t) {x = 1, y = 1, z = 1}
         + scale t {x = 0.4, y = 0.6, z = 1})

def surface (m: material) (p: vec): colour =
  if m.chequered && (i32.f32 (f32.floor p.x) + i32.f32 (f32.floor p.z)) & 1 == 1
  then v3.scale 0.2 m.colour
  else m.colour

def lit [n] (objects: [n]object) (lamp: vec) (p: vec) (normal: vec): f32 =
  let ambient = 0.15
  in if in_shadow objects p lamp then ambient
     else
       ambient
       + (1 - ambient) * f32.max 0 (v3.dot normal (v3.normalise (lamp v3.- p)))

-- The colour seen along a ray: what is left of the light is handed on to the mirrored ray.
def trace [n] (objects: [n]object) (lamp: vec) (bounces: i32) (r: ray): colour =
  let (seen, _, _, _) =
    loop (seen, left, r, depth) = (vec 0 0 0, 1f32, r, 0i32)
    while depth <= bounces && left > 0.01 do
      match first_hit objects r
      case #miss -> (seen v3.+ v3.scale left (sky r.direction), 0, r, depth)
      case #hit h ->
        let own =
          v3.scale (lit objects lamp h.at h.normal) (surface h.material h.at)
        let r' = {origin = h.at, direction = v3.reflect r.direction h.normal}
        in (seen v3.+ v3.scale (left * (1 - h.material.shine)) own,
            left * h.material.shine, r', depth + 1)
  in seen

def pack (c: colour): u32 =
  let channel (x: f32) = u32.f32 (255 * f32.max 0 (f32.min 1 x) + 0.5)
  in 0xff000000 | channel c.x << 16 | channel c.y << 8 | channel c.z

def camera (width: i64) (height: i64) (i: i64) (j: i64): ray =
  let aspect = f32.i64 width / f32.i64 height
  let x = aspect * (2 * (f32.i64 j + 0.5) / f32.i64 width - 1)
  let y = 1 - 2 * (f32.i64 i + 0.5) / f32.i64 height
  in {origin = vec 0 1.5 (-6), direction = v3.normalise (vec x (y - 0.1) 1.8)}

-- A spiral of n spheres, every third a mirror.
def spiral (n: i64): [n]object =
  tabulate n (\i ->
    let a = 2.4 * f32.i64 i
    let r = 0.5 * f32.sqrt (f32.i64 i)
    let size = 0.25 + 0.1 * f32.cos (3 * a)
    in #sphere {centre = vec (r * f32.cos a) size (r * f32.sin a),
                radius = size,
                material =
                  {colour =
                     vec (0.5 + 0.5 * f32.cos a) (0.5 + 0.5 * f32.sin a) 0.4,
                   shine = if i % 3 == 0 then 0.8 else 0.1, chequered = false}})

entry render (width: i64) (height: i64) (bounces: i32) (spheres: i64)
             : [height][width]u32 =
  let ground: object = #plane {normal = vec 0 1 0, distance = 0,
                               material =
                                 {colour = vec 0.9 0.9 0.9,
                                  shine = 0.2,
                                  chequered = true}}
  let objects = [ground] ++ spiral spheres
  in tabulate_2d height width (\i j ->
                                 camera width height i j
                                 |> trace objects (vec (-4) 6 (-5)) bounces
                                 |> pack)

-- The mean of every channel over the picture, and how many pixels are darker than a third.
entry main (width: i64) (height: i64) (bounces: i32) (spheres: i64)
           : ([3]f32, f32) =
  let pixels = flatten (render width height bounces spheres)
  let channels (p: u32) =
    (i64.u32 (p >> 16 & 0xff), i64.u32 (p >> 8 & 0xff), i64.u32 (p & 0xff))
  let add3 (a: i64, b: i64, c: i64) (d: i64, e: i64, f: i64) =
    (a + d, b + e, c + f)
  let (r, g, b) = reduce_comm add3 (0, 0, 0) (map channels pixels)
  let dark =
    map channels pixels |> filter (\(r, g, b) -> r + g + b < 255) |> length
  let share (s: i64) = f32.f64 (f64.i64 s / f64.i64 (width * height))
  in ([share r / 255, share g / 255, share b / 255], share dark)
