-- The Black-Scholes formula with the error function.
-- ==
-- input { [100.0, 110.0] 100.0 1.0 0.05 0.2 } output { [10.450583572185565, 17.662953740590446] }
-- input { empty([0]f64) 100.0 1.0 0.05 0.2 } output { empty([0]f64) }

def cnd (x: f64): f64 = 0.5 * f64.erfc (-x / f64.sqrt 2)
def call (k: f64) (t: f64) (r: f64) (v: f64) (s: f64): f64 =
  let d1 = (f64.log (s / k) + (r + v * v / 2) * t) / (v * f64.sqrt t)
  let d2 = d1 - v * f64.sqrt t
  in s * cnd d1 - k * f64.exp (-r * t) * cnd d2
def main [n] (ss: [n]f64) (k: f64) (t: f64) (r: f64) (v: f64): [n]f64 =
  map (call k t r v) ss
