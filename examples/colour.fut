-- | Colours of pictures: `[h][w]u32` as `kenaz run --output a.png` writes them.

-- | Red, green and blue, each from 0 to 1.
type colour = {r: f32, g: f32, b: f32}

def grey (t: f32): colour = {r = t, g = t, b = t}

-- | A colour from its parts as numbers from 0 to 255, as 0xRRGGBB.
def hex (rgb: u32): colour =
  let part shift = f32.u32 ((rgb >> shift) & 0xff) / 255
  in {r = part 16, g = part 8, b = part 0}

-- | The number of a colour in a picture. What is too bright or too dark is cut.
--
-- ```
-- > packed {r = 1, g = 0.2, b = -3}
-- 0xff3300u32
-- ```
def packed (c: colour): u32 =
  let byte (x: f32) = u32.f32 (255 * f32.max 0 (f32.min 1 x) + 0.5)
  in byte c.r << 16 | byte c.g << 8 | byte c.b

def scaled (s: f32) (c: colour): colour =
  {r = s * c.r, g = s * c.g, b = s * c.b}

def plus (a: colour) (b: colour): colour =
  {r = a.r + b.r, g = a.g + b.g, b = a.b + b.b}

-- | Everything from one colour to another, for fractions from 0 to 1.
def mixed (t: f32) (a: colour) (b: colour): colour =
  plus (scaled (1 - t) a) (scaled t b)

-- | A colour on the way through all of these, for fractions from 0 to 1.
--
-- ```
-- > packed (ramp [hex 0x000000, hex 0xff0000, hex 0xffff00] 0.75)
-- 0xff8000u32
-- ```
def ramp [n] (colours: [n]colour) (t: f32): colour =
  let at = f32.max 0 (f32.min 1 t) * f32.i64 (n - 1)
  let i = i64.min (n - 2) (i64.f32 at)
  in mixed (at - f32.i64 i) colours[i] colours[i + 1]

-- | From black over violet and orange to a light yellow.
def fire: f32 -> colour =
  ramp (map hex [0x05030f, 0x3b0f70, 0x8c2981, 0xde4968, 0xfe9f6d, 0xfcfdbf])

-- | From deep water over foam to sand.
def sea: f32 -> colour =
  ramp (map hex [0x0b2545, 0x13678a, 0x45b5aa, 0xdaf5e3, 0xf2c879, 0xd96c3f])
