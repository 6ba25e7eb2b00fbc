-- The price of a European call option by simulation: many random paths of a share, each in many steps.
-- ==
-- input { 3i64 2i64 100f64 100f64 0f64 0f64 1f64 }
-- output { 0f64 }
-- input { 4i64 3i64 120f64 100f64 0f64 0f64 1f64 }
-- output { 20f64 }

def scramble (x: u32): u32 =
  let x = (x ^ (x >> 16)) * 0x45d9f3b
  let x = (x ^ (x >> 16)) * 0x45d9f3b
  in x ^ (x >> 16)

-- | Between 0 and 1, neither of them.
def uniform (path: i64) (step: i64): f64 =
  let x = scramble (u32.i64 path * 7919 + u32.i64 step)
  in (f64.u32 x + 0.5) / 4294967296

def normal (path: i64) (step: i64): f64 =
  let (u, v) = (uniform path (2 * step), uniform path (2 * step + 1))
  in f64.sqrt (-2 * f64.log u) * f64.cos (2 * f64.pi * v)

def increments (steps: i64) (drift: f64) (spread: f64) (path: i64): [steps]f64 =
  map (\step -> drift + spread * normal path step) (iota steps)

def payoff (start: f64) (strike: f64) (log_growth: f64): f64 =
  f64.max 0 (start * f64.exp log_growth - strike)

def main (paths: i64) (steps: i64) (start: f64) (strike: f64) (rate: f64)
         (volatility: f64) (years: f64): f64 =
  let dt = years / f64.i64 steps
  let drift = (rate - 0.5 * volatility * volatility) * dt
  let spread = volatility * f64.sqrt dt
  let growth path = f64.sum (increments steps drift spread path)
  let payoffs = map (\path -> payoff start strike (growth path)) (iota paths)
  in f64.exp (-rate * years) * f64.sum payoffs / f64.i64 paths
