-- Pictures made pixel by pixel: a plasma of sines with a palette that turns, and the Mandelbrot set in smooth colours,
-- each with several samples per pixel, and one picture that mixes the two. What comes back is a thumbnail.
-- ==
-- entry: mandelbrot
-- "all inside" nobench input { 4i64 4i64 1i64 -0.1f32 0f32 0.2f32 50i32 }
-- output { [[[0f32, 0f32, 0f32], [0f32, 0f32, 0f32], [0f32, 0f32, 0f32], [0f32, 0f32, 0f32]],
--   [[0f32, 0f32, 0f32], [0f32, 0f32, 0f32], [0f32, 0f32, 0f32], [0f32, 0f32, 0f32]],
--   [[0f32, 0f32, 0f32], [0f32, 0f32, 0f32], [0f32, 0f32, 0f32], [0f32, 0f32, 0f32]],
--   [[0f32, 0f32, 0f32], [0f32, 0f32, 0f32], [0f32, 0f32, 0f32], [0f32, 0f32, 0f32]]] [0f32, 0f32, 0f32] }
-- "small" compiled input { 120i64 160i64 1i64 -0.6f32 0f32 2.5f32 100i32 }
-- "medium" compiled input { 200i64 240i64 2i64 -0.6f32 0f32 2.5f32 100i32 }
-- "large" compiled input { 500i64 600i64 2i64 -0.743f32 0.131f32 0.05f32 150i32 }

-- ==
-- entry: plasma
-- "few pixels" nobench input { 4i64 4i64 1i64 0.5f32 }
-- output { [[[0.55871042f32, 0.9926169f32, 0.12129179f32], [0.31589249f32, 0.98879472f32, 0.14928165f32],
--   [0.22902838f32, 0.76334664f32, 0.6459891f32], [0.98440265f32, 0.29015453f32, 0.95697981f32]], [[0.71737373f32,
--   0.29507319f32, 0.95547465f32], [0.95652075f32, 0.69412613f32, 0.7198534f32], [0.76380861f32, 0.9218556f32,
--   0.38753356f32], [0.99968287f32, 0.47628427f32, 0.87929136f32]], [[0.82293215f32, 0.13261276f32,
--   0.99116792f32], [0.58670473f32, 0.98789629f32, 0.15511581f32], [0.28414337f32, 0.98327923f32, 0.18210423f32],
--   [0.24750579f32, 0.97564939f32, 0.21933595f32]], [[0.9896051f32, 0.57740831f32, 0.81645554f32], [0.92108347f32,
--   0.071236243f32, 0.99745947f32], [0.694328f32, 0.9564389f32, 0.29193257f32], [0.99938631f32, 0.42250129f32,
--   0.90636232f32]]] [0.6919443f32, 0.65807965f32, 0.58597682f32] }
-- "small" compiled input { 160i64 240i64 1i64 0.3f32 }
-- "medium" compiled input { 400i64 500i64 2i64 0.3f32 }
-- "large" compiled input { 1000i64 1200i64 3i64 0.3f32 }

-- ==
-- entry: mixture
-- "small" compiled input { 120i64 160i64 1i64 0.7f32 }
-- "medium" compiled input { 240i64 320i64 2i64 0.7f32 }
-- "large" compiled input { 800i64 1000i64 2i64 0.7f32 }

module vec3 = {
  type t = {r: f32, g: f32, b: f32}
  def make r g b: t = {r, g, b}
  def black = make 0 0 0
  def map2 (f: f32 -> f32 -> f32) (x: t) (y: t): t =
    make (f x.r y.r) (f x.g y.g) (f x.b y.b)
  def map f (x: t): t = make (f x.r) (f x.g) (f x.b)
  def (+) = map2 (f32.+)
  def (*) (s: f32) = map (s f32.*)
  def sum [n] (xs: [n]t): t = reduce (+) black xs
  -- s parts of the second in the first
  def blend (s: f32) (x: t) (y: t): t = ((1 - s) * x) + (s * y)
}

type colour = vec3.t
type^ image = f32 -> f32 -> colour

-- A colour of the wheel, 0 to 1 once around.
def wheel (turn: f32): colour =
  let channel shift = 0.5 + 0.5 * f32.cos (2 * f32.pi * (turn + shift))
  in vec3.make (channel 0.25) (channel 0.9) (channel 0.4)

def brightness (c: colour): f32 = 0.3 * c.r + 0.6 * c.g + 0.1 * c.b

def plasma_at (time: f32): image = \x y ->
  let waves = [f32.sin (10 * x + time),
               f32.sin (10 * (x * f32.sin (time / 2) + y * f32.cos (time / 3))
                        + time),
               let (cx, cy) =
                 (x + 0.5 * f32.sin (time / 5), y + 0.5 * f32.cos (time / 3))
               in f32.sin (f32.sqrt (100 * (cx * cx + cy * cy) + 1) + time)]
  in wheel (0.5 * f32.sum waves * f32.min 1 (4 * (x * x + y * y)))

def mandelbrot_at (cx: f32) (cy: f32) (width: f32) (limit: i32): image = \x y ->
  let (a, b) = (cx + width * x, cy + width * y)
  let (zx, zy, i) =
    loop (zx, zy, i) = (0, 0, 0) while i < limit && zx * zx + zy * zy < 16 do
      (zx * zx - zy * zy + a, 2 * zx * zy + b, i + 1)
  in if i == limit then vec3.black
     else
       let smooth = f32.i32 i + 1 - f32.log2 (f32.log (zx * zx + zy * zy) / 2)
       in wheel (0.02 * smooth)

-- Where the second picture is bright it covers the first.
def over (below: image) (above: image): image = \x y ->
  let c = above x y
  in vec3.blend (brightness c) (below x y) c

-- The mean of samples by samples points of every pixel; both edges of a picture lie at -0.5 and 0.5.
def render (h: i64) (w: i64) (samples: i64) (image: image): [h][w]colour =
  let place n i s =
    (f32.i64 i + (f32.i64 s + 0.5) / f32.i64 samples) / f32.i64 n - 0.5
  let pixel i j =
    tabulate_2d samples samples (\s t -> image (place w j t) (place h i s))
    |> flatten
    |> vec3.sum
    |> (vec3.*) (1 / f32.i64 (samples * samples))
  in tabulate_2d h w pixel

-- Screens are not linear.
def gamma (c: colour): colour =
  vec3.map (\x -> f32.sqrt (f32.max 0 (f32.min 1 x))) c

-- The picture shrunk to thumb by thumb blocks, each with the mean of its pixels, and the mean of all.
def thumb: i64 = 4
def shrink [h] [w] (picture: [h][w]colour): ([thumb][thumb][3]f32, [3]f32) =
  let mean (cs: []colour) =
    (1 / f32.i64 (i64.max 1 (length cs))) vec3.* vec3.sum cs
  let mean (block: [][]colour) =
    let c = mean (map mean block) in [c.r, c.g, c.b]
  let part n i = i * n / thumb
  let block i j = mean picture[part h i:part h (i + 1), part w j:part w (j + 1)]
  in (tabulate_2d thumb thumb block, mean picture)

def show [h] [w] (picture: [h][w]colour) = shrink (map (map gamma) picture)

entry mandelbrot (h: i64) (w: i64) (samples: i64) (cx: f32) (cy: f32)
                 (width: f32) (limit: i32) =
  mandelbrot_at cx cy width limit |> render h w samples |> show

entry plasma (h: i64) (w: i64) (samples: i64) (time: f32) =
  plasma_at time |> render h w samples |> show

entry mixture (h: i64) (w: i64) (samples: i64) (time: f32) =
  over (plasma_at time) (mandelbrot_at (-0.75) 0.1 (0.3 + time) 80)
  |> render h w samples
  |> show
