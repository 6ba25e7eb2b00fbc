-- Heart muscle cells after Luo and Rudy (1991): eight variables per cell, membrane currents with voltage-dependent
-- gates, integrated with Rush-Larsen steps for the gates. Many cells with different conductances are run at once.
-- ==
-- entry: main
-- "at rest and stimulated" nobench input { 200i64 0.01f64 [1f64, 1f64] [0f64, 40f64] }
-- output { [-84.12480957288338f64, 41.17844173874533f64]
--   [0.00017948146726272956f64, 0.00019260449596400703f64] [-84.12480957288338f64, 42.79273878949663f64] }
-- "no steps" nobench input { 0i64 0.01f64 [1f64] [0f64] }
-- output { [-84.3801107f64] [0.00017948816388306f64] [-84.3801107f64] }
-- "small" compiled script input { cells 100i64 400i64 }
-- "medium" compiled script input { cells 200i64 3000i64 }
-- "large" compiled script input { cells 1000i64 6000i64 }

type state = {
  v: f64,  -- membrane potential, mV
  m: f64,  -- sodium activation
  h: f64,  -- sodium inactivation
  j: f64,  -- slow sodium inactivation
  d: f64,  -- calcium activation
  f: f64,  -- calcium inactivation
  x: f64,  -- potassium activation
  cai: f64 -- calcium inside, mM
}

def resting: state =
  {v = -84.3801107, m = 0.00171338077730188, h = 0.982660523699656,
   j = 0.989108212766685,
   d = 0.00302126301779861, f = 0.999967936476325, x = 0.0417603108167287,
   cai = 0.00017948816388306}

def g_na: f64 = 23
def g_si: f64 = 0.09
def g_k: f64 = 0.282
def g_k1: f64 = 0.6047
def g_kp: f64 = 0.0183
def g_b: f64 = 0.03921
def e_na: f64 = 54.4
def e_k: f64 = -77
def e_k1: f64 = -87.26
def e_b: f64 = -59.87

-- A gate with these rates, a step later, exactly if the rates stayed.
def relax (dt: f64) (alpha: f64) (beta: f64) (y: f64): f64 =
  let tau = 1 / (alpha + beta)
  let limit = alpha * tau
  in limit - (limit - y) * f64.exp (-dt / tau)

def step (dt: f64) (scale_na: f64) (stimulus: f64) (s: state): state =
  let v = s.v
  -- fast sodium
  let alpha_m =
    let u = v + 47.13
    in if f64.abs u < 1e-7 then 3.2 else 0.32 * u / (1 - f64.exp (-0.1 * u))
  let beta_m = 0.08 * f64.exp (-v / 11)
  let depolarised = v >= -40
  let alpha_h = if depolarised then 0 else 0.135 * f64.exp ((80 + v) / (-6.8))
  let beta_h =
    if depolarised
    then 1 / (0.13 * (1 + f64.exp ((v + 10.66) / (-11.1))))
    else 3.56 * f64.exp (0.079 * v) + 3.1e5 * f64.exp (0.35 * v)
  let alpha_j =
    if depolarised
    then 0
    else
      (-1.2714e5 * f64.exp (0.2444 * v) - 3.474e-5 * f64.exp (-0.04391 * v))
      * (v + 37.78) / (1 + f64.exp (0.311 * (v + 79.23)))
  let beta_j =
    if depolarised
    then 0.3 * f64.exp (-2.535e-7 * v) / (1 + f64.exp (-0.1 * (v + 32)))
    else 0.1212 * f64.exp (-0.01052 * v) / (1 + f64.exp (-0.1378 * (v + 40.14)))
  let i_na = g_na * scale_na * s.m ** 3 * s.h * s.j * (v - e_na)

  -- slow inward
  let e_si = 7.7 - 13.0287 * f64.log s.cai
  let i_si = g_si * s.d * s.f * (v - e_si)
  let alpha_d =
    0.095 * f64.exp (-0.01 * (v - 5)) / (1 + f64.exp (-0.072 * (v - 5)))
  let beta_d =
    0.07 * f64.exp (-0.017 * (v + 44)) / (1 + f64.exp (0.05 * (v + 44)))
  let alpha_f =
    0.012 * f64.exp (-0.008 * (v + 28)) / (1 + f64.exp (0.15 * (v + 28)))
  let beta_f =
    0.0065 * f64.exp (-0.02 * (v + 30)) / (1 + f64.exp (-0.2 * (v + 30)))

  -- potassium, time-dependent
  let xi =
    if v > -100
    then
      let u = v + 77
      in if f64.abs u < 1e-6
         then 2.837 * 0.04 / f64.exp (0.04 * (v + 35))
         else 2.837 * (f64.exp (0.04 * u) - 1) / (u * f64.exp (0.04 * (v + 35)))
    else 1
  let i_k = g_k * s.x * xi * (v - e_k)
  let alpha_x =
    0.0005 * f64.exp (0.083 * (v + 50)) / (1 + f64.exp (0.057 * (v + 50)))
  let beta_x =
    0.0013 * f64.exp (-0.06 * (v + 20)) / (1 + f64.exp (-0.04 * (v + 20)))

  -- potassium, time-independent, and at the plateau
  let w = v - e_k1
  let alpha_k1 = 1.02 / (1 + f64.exp (0.2385 * (w - 59.215)))
  let beta_k1 =
    (0.49124 * f64.exp (0.08032 * (w + 5.476))
     + f64.exp (0.06175 * (w - 594.31)))
    / (1 + f64.exp (-0.5143 * (w + 4.753)))
  let i_k1 = g_k1 * (alpha_k1 / (alpha_k1 + beta_k1)) * w
  let k_p = 1 / (1 + f64.exp ((7.488 - v) / 5.98))
  let i_kp = g_kp * k_p * w

  -- background
  let i_b = g_b * (v - e_b)

  let total = i_na + i_si + i_k + i_k1 + i_kp + i_b
  in {v = v + dt * (stimulus - total),
      m = relax dt alpha_m beta_m s.m,
      h = relax dt alpha_h beta_h s.h,
      j = relax dt alpha_j beta_j s.j,
      d = relax dt alpha_d beta_d s.d,
      f = relax dt alpha_f beta_f s.f,
      x = relax dt alpha_x beta_x s.x,
      cai = s.cai + dt * (-1e-4 * i_si + 0.07 * (1e-4 - s.cai))}

-- One cell through all of the time: where it ends, and the highest potential on the way. The stimulus comes in the
-- first millisecond.
def simulate (steps: i64) (dt: f64) (scale_na: f64) (stimulus: f64)
             : (state, f64) =
  loop (s, peak) = (resting, resting.v) for i < steps do
    let now = if f64.i64 i * dt < 1 then stimulus else 0
    let s' = step dt scale_na now s
    in (s', f64.max peak s'.v)

entry main [n] (steps: i64) (dt: f64) (scales: [n]f64) (stimuli: [n]f64)
           : ([n]f64, [n]f64, [n]f64) =
  let (ends, peaks) = unzip (map2 (simulate steps dt) scales stimuli)
  in (map (.v) ends, map (.cai) ends, peaks)

entry cells (steps: i64) (n: i64): (i64, f64, [n]f64, [n]f64) =
  (steps, 0.02, tabulate n (\i -> 0.8 + 0.4 * f64.i64 i / f64.i64 n),
   tabulate n (\i -> 30 + f64.i64 (i % 32)))
