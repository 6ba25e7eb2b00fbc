-- | Functional images: an image is a function from points to whatever is there.
--
-- Everything here is an ordinary function, and images are made by composing them. When a program is compiled, nothing of
-- the functions is left: a frame is one map over its pixels.

type point = {x: f32, y: f32}

-- | Distance from the origin, and the angle in [-pi, pi].
type polar = {rho: f32, theta: f32}

-- | Red, green and blue, already multiplied by the opacity.
type colour = {r: f32, g: f32, b: f32, a: f32}

type^ image 'a = point -> a
type^ region = image bool
type^ picture = image colour

-- | Where a point comes from.
type^ warp = point -> point

-- Points

def point (x: f32) (y: f32): point = {x, y}

def to_polar (p: point): polar =
  {rho = f32.hypot p.x p.y, theta = f32.atan2 p.y p.x}

def from_polar (p: polar): point =
  {x = p.rho * f32.cos p.theta, y = p.rho * f32.sin p.theta}

def distance (p: point): f32 = f32.hypot p.x p.y

-- Colours

def rgba (r: f32) (g: f32) (b: f32) (a: f32): colour =
  {r = r * a, g = g * a, b = b * a, a}

def black: colour = rgba 0 0 0 1
def white: colour = rgba 1 1 1 1
def invisible: colour = {r = 0, g = 0, b = 0, a = 0}

-- | Everything from one colour to another, for fractions from 0 to 1.
def mix (t: f32) (one: colour) (other: colour): colour =
  let between a b = a + t * (b - a)
  in { r = between one.r other.r
     , g = between one.g other.g
     , b = between one.b other.b
     , a = between one.a other.a
     }

-- | The first colour over the second.
def over (top: colour) (bottom: colour): colour =
  let shine t b = t + (1 - top.a) * b
  in { r = shine top.r bottom.r
     , g = shine top.g bottom.g
     , b = shine top.b bottom.b
     , a = shine top.a bottom.a
     }

-- | A colour of the rainbow, which comes back after each whole number.
def hue (t: f32): colour =
  let wave shift = 0.5 + 0.5 * f32.cos (2 * f32.pi * (t + shift))
  in rgba (wave 0) (wave 0.667) (wave 0.333) 1

-- Images from images

def constantly 'a (value: a): image a = \_ -> value

-- | The same function at every point of one image, of two, of three.
def lift 'a 'b (f: a -> b) (image: image a): image b = \p -> f (image p)

def lift2 'a 'b 'c (f: a -> b -> c) (one: image a) (other: image b): image c =
  \p -> f (one p) (other p)

def lift3 'a 'b 'c 'd (f: a -> b -> c -> d) (one: image a) (two: image b)
          (three: image c): image d =
  \p -> f (one p) (two p) (three p)

-- | One image inside of a region, and another one outside.
def choose 'a (region: region) (inside: image a) (outside: image a): image a =
  lift3 (\is_inside a b -> if is_inside then a else b) region inside outside

def overlay (top: picture) (bottom: picture): picture = lift2 over top bottom

def fade (one: picture) (other: picture) (amount: image f32): picture =
  lift3 mix amount one other

def empty: picture = constantly invisible

-- | A picture inside of a region, and nothing outside.
def crop (region: region) (picture: picture): picture =
  choose region picture empty

-- Regions

def unit_disk: region = \p -> distance p <= 1

def stripe: region = \p -> f32.abs p.x <= 0.5

def half_plane: region = \p -> p.x > 0

def checker: region =
  \p -> (i32.f32 (f32.floor p.x) + i32.f32 (f32.floor p.y)) % 2 == 0

-- | Rings of this width around the origin.
def rings (width: f32): region =
  \p -> i32.f32 (f32.floor (distance p / width)) % 2 == 0

-- | What is farther than one radius and nearer than another.
def annulus (inner: f32) (outer: f32): region =
  \p -> let d = distance p in inner <= d && d <= outer

-- | So many wedges, every other one of which is in the region.
def wedges (count: i32): region =
  \p ->
    i32.f32 (f32.floor ((to_polar p).theta * f32.i32 count / f32.pi)) % 2 == 0

def not_in (region: region): region = lift (\is_inside -> !is_inside) region
def both (one: region) (other: region): region = lift2 (&&) one other
def either (one: region) (other: region): region = lift2 (||) one other
def one_of (one: region) (other: region): region = lift2 (!=) one other

-- Warps. Who moves an image looks for each point where it comes from.

def warped 'a (from: warp) (image: image a): image a = \p -> image (from p)

def translate 'a (by: point) (image: image a): image a =
  warped (\p -> point (p.x - by.x) (p.y - by.y)) image

def scale 'a (factor: f32) (image: image a): image a =
  warped (\p -> point (p.x / factor) (p.y / factor)) image

-- | The place from which a rotation by an angle brings a point.
def rotated (angle: f32): warp =
  let (c, s) = (f32.cos angle, f32.sin angle)
  in \p -> point (c * p.x + s * p.y) (c * p.y - s * p.x)

def rotate_image 'a (angle: f32) (image: image a): image a =
  warped (rotated angle) image

-- | A rotation that grows with the distance, by a whole turn over a radius.
def swirl 'a (radius: f32) (image: image a): image a =
  warped (\p -> rotated (2 * f32.pi * distance p / radius) p) image

-- | What is done to the polar coordinates of points.
def in_polar (f: polar -> polar): warp = from_polar <-< f <-< to_polar

-- | The inside of the unit circle outside, and the other way round.
def inside_out 'a (image: image a): image a =
  warped (in_polar (\p ->
                      {rho = if p.rho == 0 then 0 else 1 / p.rho,
                       theta = p.theta}))
         image

-- | An image whose coordinates are an angle and a distance, so many times around the origin.
def around 'a (times: i32) (image: image a): image a =
  warped (\p ->
            let q = to_polar p
            in point (q.rho * 4) (q.theta * f32.i32 times / f32.pi))
         image

-- | The same image in all squares with this side.
def tiled 'a (side: f32) (image: image a): image a =
  let wrapped t = t - side * f32.floor (t / side + 0.5)
  in warped (\p -> point (wrapped p.x) (wrapped p.y)) image

-- Fractals

-- | How many steps it takes until an orbit leaves the circle of radius two, as a part of the most, and smooth.
def escape (most: i32) (from: point -> (point, point)): image f32 =
  \p ->
    let (start, c) = from p
    let (z, steps) =
      loop (z, steps) = (start, 0)
      while steps < most && z.x * z.x + z.y * z.y <= 64 do
        (point (z.x * z.x - z.y * z.y + c.x) (2 * z.x * z.y + c.y), steps + 1)
    in if steps == most
       then 1
       else
         (f32.i32 steps + 1
          - f32.log2 (f32.max 1 (0.5 * f32.log2 (z.x * z.x + z.y * z.y))))
         / f32.i32 most

def mandelbrot (most: i32): image f32 = escape most (\p -> (point 0 0, p))

def julia (c: point) (most: i32): image f32 = escape most (\p -> (p, c))

-- | Black where a value is 1 and colours of the rainbow elsewhere.
def coloured (image: image f32): picture =
  lift (\t ->
          if t >= 1 then black else mix (f32.min 1 (6 * t)) black (hue (3 * t)))
       image

def grey (image: image f32): picture = lift (\t -> mix t white black) image

def painted (one: colour) (other: colour) (region: region): picture =
  lift (\is_inside -> if is_inside then one else other) region

-- Frames

-- | The values at the middles of pixels, of a part of the plane that is so wide and has the origin in its middle.
def sampled 'a (height: i64) (width: i64) (extent: f32) (image: image a)
            : [height][width]a =
  let step = extent / f32.i64 (i64.max 1 width)
  let at i n = (f32.i64 i + 0.5 - f32.i64 n / 2) * step
  in tabulate_2d height width (\y x ->
                                 image (point (at x width) (-(at y height))))

-- | A colour on white, as three numbers from 0 to 255.
def bytes (c: colour): [3]u8 =
  let seen = over c white
  let byte (x: f32) = u8.f32 (255 * f32.max 0 (f32.min 1 x) + 0.5)
  in [byte seen.r, byte seen.g, byte seen.b]

def frame (height: i64) (width: i64) (extent: f32) (picture: picture)
          : [height][width][3]u8 =
  sampled height width extent (lift bytes picture)
