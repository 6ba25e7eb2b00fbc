-- | The price of a call option by Black and Scholes, and the surface that it is over the price of the share and the time.

import "colour"

-- | The probability that a normally distributed number is below `x`.
def normal (x: f64): f64 = 0.5 * (1 + f64.erf (x / f64.sqrt 2))

type option = {strike: f64, rate: f64, volatility: f64}

-- | What it is worth to be allowed to buy a share for `strike` in so many years, while it costs `price` now.
def call ({strike, rate, volatility}: option) (years: f64) (price: f64): f64 =
  if years <= 0
  then f64.max 0 (price - strike)
  else
    let spread = volatility * f64.sqrt years
    let d1 =
      (f64.log (price / strike)
       + (rate + volatility * volatility / 2) * years)
      / spread
    in price * normal d1
       - strike * f64.exp (-rate * years) * normal (d1 - spread)

-- | How much more it is worth if the share costs more: the derivative, without a formula for it.
def delta (o: option) (years: f64) (price: f64): f64 =
  jvp (call o years) price 1

def usual: option = {strike = 1, rate = 0.03, volatility = 0.35}

-- | The years and the price that belong to a point of the unit square.
def years (t: f32): f64 = 2 * f64.f32 t
def price (s: f32): f64 = 0.4 + 1.2 * f64.f32 s

-- | The height of the surface between the points of a grid.
def height [n] (grid: [n][n]f32) (s: f32) (t: f32): f32 =
  let at x = f32.max 0 (f32.min 1 x) * f32.i64 (n - 1)
  let cell x = i64.min (n - 2) (i64.f32 (at x))
  let (i, j) = (cell s, cell t)
  let (a, b) = (at s - f32.i64 i, at t - f32.i64 j)
  in (1 - a) * ((1 - b) * grid[i, j] + b * grid[i, j + 1])
     + a * ((1 - b) * grid[i + 1, j] + b * grid[i + 1, j + 1])

-- | The surface from the corner where the share is cheap and the time is up. A ray goes through each pixel, and the first
-- of its points that is not above the surface counts.
entry picture (rows: i64) (columns: i64): [rows][columns]u32 =
  let n = 129
  let part i = f32.i64 i / f32.i64 (n - 1)
  let grid =
    tabulate_2d n n (\i j ->
                       0.8
                       * f32.f64 (call usual (years (part j)) (price (part i))))
  let (sin, cos) = (f32.sin 0.5, f32.cos 0.5)
  let diagonal = f32.sqrt 0.5
  let steps = 500
  let pixel (across: f32) (up: f32) =
    let at k =
      let depth = f32.i64 k / f32.i64 steps * 2.4 - 1.2
      let along = diagonal * (depth * cos + up * sin)
      in ( 0.5 + along + diagonal * across
         , 0.5 + along - diagonal * across
         , 0.27 + up * cos - depth * sin
         )
    let is_inside x = x >= 0 && x <= 1
    let is_hit (s, t, z) =
      is_inside s && is_inside t && z >= -0.06 && z <= height grid s t
    let k = loop k = 0 while k < steps && !(is_hit (at k)) do k + 1
    let (s, t, z) = at k
    let is_side = z < height grid s t - 0.02
    let steep = f32.f64 (delta usual (years t) (price s))
    let is_line x = f32.abs (x * 10 - f32.round (x * 10)) < 0.03
    let light = 1.02 - 0.25 * steep
    in if k == steps
       then grey 1
       else if is_side
       then scaled (if s < t then 0.95 else 1.02) (hex 0xc9d1dc)
       else scaled (if is_line s || is_line t then 0.8 * light else light)
                   (fire (0.16 + 1.25 * z))
  in tabulate_2d rows columns (\i j ->
       -- The mean of four rays.
       let ray k =
         let place x n = (f32.i64 x + 0.25 - f32.i64 n / 2) / f32.i64 columns
         in pixel (1.85
                   * (place j columns + f32.i64 (k % 2) / 2 / f32.i64 columns))
                  (-1.85
                   * (place i rows + f32.i64 (k / 2) / 2 / f32.i64 columns))
       let sum = loop sum = grey 0 for k < 4 do plus sum (ray k)
       in packed (scaled 0.25 sum))

-- The price of textbooks for a share at 100, a rate of 5 % and a volatility of 20 % over a year, and its delta N(d1) with
-- d1 = 0.35; at the end it is what the option yields.
-- ==
-- entry: prices
-- input { 100f64 100f64 0.05f64 0.2f64 1f64 } output { 10.450583572185565f64 0.6368306511756191f64 }
-- input { 110f64 100f64 0.05f64 0.2f64 0f64 } output { 10f64 1f64 }
-- input { 90f64 100f64 0.05f64 0.2f64 0f64 } output { 0f64 0f64 }

entry prices (price: f64) (strike: f64) (rate: f64) (volatility: f64)
             (years: f64): (f64, f64) =
  let o = {strike, rate, volatility}
  in (call o years price, delta o years price)
