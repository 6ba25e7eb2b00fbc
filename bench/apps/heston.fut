-- The Heston model is fitted to quoted prices of calls: the price of a call is an integral over the characteristic
-- function of the model, taken by Gauss and Legendre's rule, and the five parameters that miss the quotes least are
-- sought by differential evolution.
-- ==
-- entry: main
-- nobench input { 4i64 0i32 16i64 [100f64, 90f64] [1f64, 0.5f64] [9f64, 12.5f64] }
-- output { [0.10201333029f64, 1.1429079388f64, 0.1971827637f64, 0.40193703468f64, -0.13417037523f64]
--   1.4959057799f64 [10.793385726f64, 11.377843218f64] }
-- nobench input { 10i64 6i32 24i64 [90f64, 100f64, 110f64] [0.5f64, 1f64, 1.5f64] [13f64, 9f64, 7.25f64] }
-- output { [0.02723702817f64, 0.35971554066f64, 0.15207764285f64, 0.59190256511f64, -0.071062149352f64]
--   0.51518914399f64 [12.323756672f64, 8.4302741402f64, 7.1301377104f64] }
-- "small" compiled script input { quotes 20i64 10i32 32i64 9i64 }
-- "medium" compiled script input { quotes 40i64 30i32 32i64 18i64 }
-- "large" compiled script input { quotes 60i64 60i32 48i64 27i64 }

-- ------------------------------------------------------------------ complex numbers

module type complex = {
  type real
  type complex = (real, real)
  val of: real -> complex
  val +: complex -> complex -> complex
  val -: complex -> complex -> complex
  val *: complex -> complex -> complex
  val /: complex -> complex -> complex
  val scale: real -> complex -> complex
  val exp: complex -> complex
  val log: complex -> complex
  val sqrt: complex -> complex
}

module mk_complex (R: float): complex with real = R.t = {
  type real = R.t
  type complex = (real, real)
  def of x: complex = (x, R.i32 0)
  def (a, b) + (c, d) = R.((a + c, b + d))
  def (a, b) - (c, d) = R.((a - c, b - d))
  def (a, b) * (c, d) = R.((a * c - b * d, a * d + b * c))
  def (a, b) / (c, d) =
    R.(let n = c * c + d * d in ((a * c + b * d) / n, (b * c - a * d) / n))
  def scale s (a, b) = R.((s * a, s * b))
  def exp (a, b) = R.(let e = exp a in (e * cos b, e * sin b))
  def log (a, b) = R.((log (sqrt (a * a + b * b)), atan2 b a))
  def sqrt (a, b) =
    R.(let m = sqrt (a * a + b * b)
       let re = sqrt (max (i32 0) ((m + a) / i32 2))
       let im = sqrt (max (i32 0) ((m - a) / i32 2))
       in (re, if b < i32 0 then neg im else im))
}

module c64 = mk_complex f64
type complex = c64.complex

-- ------------------------------------------------------------------ quadrature

-- The nodes and weights of Gauss and Legendre on -1 to 1, by Newton's method from the usual guess.
def gauss_legendre (n: i64): [n](f64, f64) =
  let legendre (x: f64) =
    let (p, q) =
      loop (p, q) = (x, 1) for k in 2...n do
        ((f64.i64 (2 * k - 1) * x * p - f64.i64 (k - 1) * q) / f64.i64 k, p)
    in (p, f64.i64 n * (x * p - q) / (x * x - 1))
  in tabulate n (\i ->
       let guess = f64.cos (f64.pi * (f64.i64 i + 0.75) / (f64.i64 n + 0.5))
       let x =
         loop x = guess for _k < 8 do let (p, dp) = legendre x in x - p / dp
       let (_, dp) = legendre x
       in (x, 2 / ((1 - x * x) * dp * dp)))

-- ------------------------------------------------------------------ the model

type quote = {strike: f64, years: f64, price: f64}
type heston = {v0: f64, kappa: f64, theta: f64, sigma: f64, rho: f64}

def spot: f64 = 100
def rate: f64 = 0.02

-- The characteristic function of the logarithm of the price over the forward, half a step off the real axis.
def characteristic (h: heston) (t: f64) (u: f64): complex =
  let iu: complex = (0.5, u)
  let beta = c64.(of h.kappa - scale (h.rho f64.* h.sigma) iu)
  let d =
    c64.(sqrt (beta * beta
               + of (h.sigma f64.* h.sigma f64.* (u f64.* u f64.+ 0.25))))
  let g = c64.((beta - d) / (beta + d))
  let e = c64.(exp (scale (f64.neg t) d))
  let one = c64.of 1
  let s2 = h.sigma * h.sigma
  let a = c64.(scale t (beta - d) - scale 2 (log ((one - g * e) / (one - g))))
  let b = c64.((beta - d) * (one - e) / (one - g * e))
  in c64.(exp (scale (h.kappa f64.* h.theta f64./ s2) a
               + scale (h.v0 f64./ s2) b))

def call [m] (nodes: [m](f64, f64)) (h: heston) (strike: f64) (t: f64): f64 =
  let k = f64.log (spot / strike) + rate * t
  let range = 60
  let part (x, w) =
    let u = 0.5 * range * (x + 1)
    let (re, _) = c64.(exp (0, u f64.* k) * characteristic h t u)
    in 0.5 * range * w * re / (u * u + 0.25)
  let integral = f64.sum (map part nodes)
  in spot
     - f64.sqrt (spot * strike) * f64.exp (-0.5 * rate * t) / f64.pi * integral

def miss [m] [q] (nodes: [m](f64, f64)) (quotes: [q]quote) (h: heston): f64 =
  let errors = map (\q -> call nodes h q.strike q.years - q.price) quotes
  in f64.sqrt (f64.sum (map (\e -> e * e) errors) / f64.i64 q)

-- ------------------------------------------------------------------ differential evolution

type vector = [5]f64

def lows: vector = [0.005, 0.2, 0.005, 0.05, -0.95]
def highs: vector = [0.25, 6, 0.25, 1.2, 0.3]

def to_heston (x: vector): heston =
  let y = map3 (\x l h -> l + x * (h - l)) x lows highs
  in {v0 = y[0], kappa = y[1], theta = y[2], sigma = y[3], rho = y[4]}

-- Random numbers by hashing where they are needed: generation, member, use.
def random (g: i32) (i: i64) (k: i64): u32 =
  let x =
    u32.i32 g * 0x9e3779b1 + u32.i64 i * 0x85ebca77 + u32.i64 k * 0xc2b2ae3d
    + 12345
  let x = (x ^ x >> 16) * 0x7feb352d
  let x = (x ^ x >> 15) * 0x846ca68b
  in x ^ x >> 16

def uniform (g: i32) (i: i64) (k: i64): f64 =
  f64.u32 (random g i k) / 4294967296

-- Three others that differ from i and from each other, by turning around the ring.
def three (n: i64) (g: i32) (i: i64): (i64, i64, i64) =
  let step k = 1 + i64.u32 (random g i k) % ((n - 1) / 3)
  let a = i + step 100
  let b = a + step 101
  let c = b + step 102
  in (a % n, b % n, c % n)

def mutant [n] (g: i32) (population: [n]vector) (i: i64): vector =
  let (a, b, c) = three n g i
  let kept = i64.u32 (random g i 103) % 5
  let gene k old xa xb xc =
    if k == kept || uniform g i k < 0.9
    then
      let y = xa + 0.7 * (xb - xc)
      -- back into the box half way from where it was
      in if y < 0 then old / 2 else if y > 1 then (old + 1) / 2 else y
    else old
  in map5 gene (iota 5) population[i] population[a] population[b] population[c]

def evolve (n: i64) (generations: i32) (f: vector -> f64): (vector, f64) =
  let start = tabulate_2d n 5 (\i k -> uniform 0 i k)
  let (population, values) =
    loop (population, values) = (start, map f start) for g < generations do
      let trials = map (mutant (g + 1) population) (iota n)
      let trial_values = map f trials
      let better = map2 (<) trial_values values
      in (map3 (\b t p -> if b then t else p) better trials population,
          map3 (\b t v -> if b then t else v) better trial_values values)
  let best =
    reduce (\(i, x) (j, y) -> if y < x then (j, y) else (i, x)) (-1, f64.inf)
           (zip (iota n) values)
  in (population[best.0], best.1)

entry main [q] (n: i64) (generations: i32) (points: i64) (strikes: [q]f64)
           (years: [q]f64) (prices: [q]f64)
           : (vector, f64, [q]f64) =
  let quotes =
    map3 (\strike years price -> {strike, years, price}) strikes years prices
  let nodes = gauss_legendre points
  let (x, error) = evolve n generations (\x -> miss nodes quotes (to_heston x))
  let h = to_heston x
  in ([h.v0, h.kappa, h.theta, h.sigma, h.rho], error,
      map (\q -> call nodes h q.strike q.years) quotes)

-- Quotes from a known model, rounded to a cent.
entry quotes (n: i64) (generations: i32) (points: i64) (q: i64)
             : (i64, i32, i64, [q]f64, [q]f64, [q]f64) =
  let nodes = gauss_legendre 64
  let h = {v0 = 0.04, kappa = 1.5, theta = 0.06, sigma = 0.5, rho = -0.6}
  let strikes = tabulate q (\i -> 80 + 5 * f64.i64 (i % 9))
  let years = tabulate q (\i -> 0.5 * f64.i64 (1 + i / 9))
  let cents x = f64.round (100 * x) / 100
  in (n, generations, points, strikes, years,
      map2 (\k t -> cents (call nodes h k t)) strikes years)
