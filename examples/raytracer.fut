-- | Spheres on a chess board, by tracing the light that comes to each pixel back to where it is from.

import "colour"

type vec = {x: f32, y: f32, z: f32}

def vec (x: f32) (y: f32) (z: f32): vec = {x, y, z}

def (a: vec) +^ (b: vec): vec = vec (a.x + b.x) (a.y + b.y) (a.z + b.z)
def (a: vec) -^ (b: vec): vec = vec (a.x - b.x) (a.y - b.y) (a.z - b.z)
def (s: f32) *^ (a: vec): vec = vec (s * a.x) (s * a.y) (s * a.z)
def dot (a: vec) (b: vec): f32 = a.x * b.x + a.y * b.y + a.z * b.z
def unit (a: vec): vec = (1 / f32.sqrt (dot a a)) *^ a

-- | The direction in which light leaves a mirror.
def mirrored (d: vec) (normal: vec): vec = d -^ ((2 * dot d normal) *^ normal)

type ray = {from: vec, to: vec}

-- | A thing in the way of a ray: how far away, which side it shows, its colour, and how much of a mirror it is.
type hit = {distance: f32, normal: vec, colour: colour, shine: f32}

type sphere = {centre: vec, radius: f32, colour: colour, shine: f32}

def nothing: hit =
  {distance = f32.inf, normal = vec 0 0 0, colour = grey 0, shine = 0}

def nearer (a: hit) (b: hit): hit = if a.distance <= b.distance then a else b

-- | A colour as an amount of light. Of half the light, three quarters are seen.
def paint (rgb: u32): colour =
  let c = hex rgb
  in {r = c.r * c.r, g = c.g * c.g, b = c.b * c.b}

-- | Nearer than this is where the ray comes from.
def epsilon: f32 = 1e-3

def hit_sphere (r: ray) (s: sphere): hit =
  let way = r.from -^ s.centre
  let b = dot way r.to
  let discriminant = b * b - (dot way way - s.radius * s.radius)
  let root = f32.sqrt (f32.max 0 discriminant)
  let distance = if -b - root > epsilon then -b - root else root - b
  in if discriminant < 0 || distance <= epsilon
     then nothing
     else
       let at = r.from +^ (distance *^ r.to)
       in { distance
          , normal = (1 / s.radius) *^ (at -^ s.centre)
          , colour = s.colour
          , shine = s.shine
          }

def hit_floor (r: ray): hit =
  let distance = -r.from.y / r.to.y
  in if r.to.y >= 0 || distance > 60
     then nothing
     else
       let at = r.from +^ (distance *^ r.to)
       let field = i32.f32 (f32.floor at.x) + i32.f32 (f32.floor at.z)
       in { distance
          , normal = vec 0 1 0
          , colour = if field % 2 == 0 then paint 0xe8e4da else paint 0x3f4a5a
          , shine = 0.12
          }

def first_hit [n] (spheres: [n]sphere) (r: ray): hit =
  loop nearest = hit_floor r for s in spheres do nearer nearest (hit_sphere r s)

def sun: vec = unit (vec (-0.5) 0.8 (-0.45))

def sky (d: vec): colour =
  let glow = f32.max 0 (dot d sun) ** 60
  let blue =
    mixed (f32.min 1 (1.6 * f32.max 0 d.y)) (paint 0xf3e9dc) (paint 0x6fa3d8)
  in plus blue (scaled glow (paint 0xfff1c9))

-- | The light from a point, without what it mirrors: that of the sun, if nothing is in its way, and some of the sky.
def lit [n] (spheres: [n]sphere) (at: vec) (h: hit): colour =
  let shade = first_hit spheres {from = at, to = sun}
  let direct =
    if shade.distance < f32.inf then 0 else f32.max 0 (dot h.normal sun)
  let around = 0.28 + 0.12 * h.normal.y
  in scaled (around + 0.8 * direct) h.colour

-- | The light that comes along a ray, over four mirrors at most.
def trace [n] (spheres: [n]sphere) (r: ray): colour =
  let (light, _, _) =
    loop (light, part, r) = (grey 0, 1, r)
    while part > 0.01 do
      let h = first_hit spheres r
      in if h.distance == f32.inf
         then (plus light (scaled part (sky r.to)), 0, r)
         else
           let at = r.from +^ (h.distance *^ r.to)
           let own = lit spheres at h
           let far = 1 - f32.exp (-h.distance / 40)
           let seen = mixed far own (sky r.to)
           in ( plus light (scaled (part * (1 - h.shine)) seen)
              , part * h.shine
              , {from = at, to = mirrored r.to h.normal}
              )
  in light

def scene: []sphere =
  [ {centre = vec 0 1 0, radius = 1, colour = paint 0xd8dde3, shine = 0.75}
  , {centre = vec (-1.9) 0.6 (-0.7),
     radius = 0.6,
     colour = paint 0xc8452f,
     shine = 0.15}
  , {centre = vec 1.7 0.7 0.5,
     radius = 0.7,
     colour = paint 0x2f7fb5,
     shine = 0.25}
  , {centre = vec 0.75 0.35 (-1.5),
     radius = 0.35,
     colour = paint 0xe2a72e,
     shine = 0.2}
  , {centre = vec (-0.7) 0.28 (-1.7),
     radius = 0.28,
     colour = paint 0x4e9b58,
     shine = 0.1}
  ]

-- | The ray through a point of the picture, both from -1 to 1.
def camera (x: f32) (y: f32): ray =
  let from = vec 0.6 1.7 (-5.6)
  let ahead = unit (vec 0 0.55 0 -^ from)
  let side = unit (vec ahead.z 0 (-ahead.x))
  let up = vec 0 1 0 -^ (ahead.y *^ ahead) |> unit
  in {from, to = unit (ahead +^ ((0.62 * x) *^ side) +^ ((0.62 * y) *^ up))}

-- | Each pixel is the mean of nine rays.
entry picture (height: i64) (width: i64): [height][width]u32 =
  let size = f32.i64 width / 2
  let sample i j k =
    let (dy, dx) = (f32.i64 (k / 3) / 3 + 1 / 6, f32.i64 (k % 3) / 3 + 1 / 6)
    let x = (f32.i64 j + dx - f32.i64 width / 2) / size
    let y = (f32.i64 height / 2 - f32.i64 i - dy) / size
    in trace scene (camera x y)
  in tabulate_2d height width (\i j ->
       let total = loop c = grey 0 for k < 9 do plus c (sample i j k)
       let soft = \x -> f32.sqrt (x / 9)
       in packed {r = soft total.r, g = soft total.g, b = soft total.b})

-- A ray along the z axis meets the unit sphere at -1, from inside at 1, and not at all beside it.
-- ==
-- entry: meets
-- input { [0f32, 0f32, -3f32] } output { 2f32 [0f32, 0f32, -1f32] }
-- input { [0f32, 0f32, 0f32] } output { 1f32 [0f32, 0f32, 1f32] }
-- input { [0f32, 0.6f32, -3f32] } output { 2.2f32 [0f32, 0.6f32, -0.8f32] }
-- input { [2f32, 0f32, -3f32] } output { f32.inf [0f32, 0f32, 0f32] }
-- input { [0f32, 0f32, 3f32] } output { f32.inf [0f32, 0f32, 0f32] }

entry meets (from: [3]f32): (f32, [3]f32) =
  let ball = {centre = vec 0 0 0, radius = 1, colour = grey 1, shine = 0}
  let h = hit_sphere {from = vec from[0] from[1] from[2], to = vec 0 0 1} ball
  in (h.distance, [h.normal.x, h.normal.y, h.normal.z])

-- Light that falls on the floor at an angle of 45 degrees leaves it at the same.
-- ==
-- entry: bounces
-- input { [1f32, -1f32, 0f32] } output { [1f32, 1f32, 0f32] }
-- input { [0f32, -2f32, 3f32] } output { [0f32, 2f32, 3f32] }

entry bounces (d: [3]f32): [3]f32 =
  let out = mirrored (vec d[0] d[1] d[2]) (vec 0 1 0)
  in [out.x, out.y, out.z]
