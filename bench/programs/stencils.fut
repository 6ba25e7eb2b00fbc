-- | A small model of the weather over an ocean: stencils on flat and on
-- deep grids, one after the other, as models of the climate have them.
--
-- The ocean is one layer of water with a free surface. The atmosphere is
-- a box of air that cannot be compressed, with heat, vapour and clouds.
-- They touch each other at the surface: wind drives the currents, and
-- water heats and moistens the air above it.
-- ==
-- entry: test_advection test_diffusion test_projection test_ocean test_air test_coupled
-- input { 6i64 8i64 } output { true }

-- Parameters.

type params = {
  dt: f64,
  dx: f64,
  dy: f64,
  dz: f64,
  gravity: f64,
  depth: f64,
  coriolis: f64,
  drag: f64,
  viscosity: f64,
  diffusivity: f64,
  buoyancy: f64,
  latent: f64,
  exchange: f64
}

def usual: params = {
  dt = 0.05,
  dx = 1,
  dy = 1,
  dz = 0.5,
  gravity = 9.81,
  depth = 2,
  coriolis = 0.1,
  drag = 0.01,
  viscosity = 0.05,
  diffusivity = 0.02,
  buoyancy = 0.3,
  latent = 0.8,
  exchange = 0.05
}

type flat [n][m] = [n][m]f64
type deep [l][n][m] = [l][n][m]f64

-- Flat grids.

def clamp (lo: i64) (hi: i64) (x: i64): i64 = i64.max lo (i64.min hi x)

def sum2 [n][m] (a: flat [n][m]): f64 = f64.sum (map f64.sum a)

def zip_with2 [n][m] (f: f64 -> f64 -> f64) (a: flat [n][m]) (b: flat [n][m]): *flat [n][m] =
  map2 (map2 f) a b

def max_abs2 [n][m] (a: flat [n][m]): f64 =
  f64.maximum (map (\r -> f64.maximum (map f64.abs r)) a)

-- | Central differences; one-sided at the edges.
def ddx [n][m] (p: params) (a: flat [n][m]): flat [n][m] =
  tabulate_2d n m (\i j ->
    let e = clamp 0 (m - 1) (j + 1)
    let w = clamp 0 (m - 1) (j - 1)
    in if e == w then 0 else (a[i, e] - a[i, w]) / (f64.i64 (e - w) * p.dx))

def ddy [n][m] (p: params) (a: flat [n][m]): flat [n][m] =
  tabulate_2d n m (\i j ->
    let s = clamp 0 (n - 1) (i + 1)
    let t = clamp 0 (n - 1) (i - 1)
    in if s == t then 0 else (a[s, j] - a[t, j]) / (f64.i64 (s - t) * p.dy))

def laplace2 [n][m] (p: params) (a: flat [n][m]): flat [n][m] =
  let at i j = a[clamp 0 (n - 1) i, clamp 0 (m - 1) j]
  in tabulate_2d n m (\i j ->
       let c = 2 * a[i, j]
       in (at i (j + 1) + at i (j - 1) - c) / (p.dx * p.dx)
          + (at (i + 1) j + at (i - 1) j - c) / (p.dy * p.dy))

-- | Diffusion by rows and then by columns, with slices.
def diffuse_split [n][m] (p: params) (k: f64) (a: flat [n][m]): flat [n][m] =
  let rx = k * p.dt / (p.dx * p.dx)
  let ry = k * p.dt / (p.dy * p.dy)
  let line [k] (r: f64) (xs: [k]f64): [k]f64 =
    let left = rotate (-1) xs with [0] = xs[0]
    let right = rotate 1 xs with [k - 1] = xs[k - 1]
    in map3 (\x y z -> y + r * (x - 2 * y + z)) left xs right
  let a = map (line rx) a
  in transpose (map (line ry) (transpose a))

-- | Upwind in both directions; the sea is a basin without an outlet.
def advect2 [n][m] (p: params) (u: flat [n][m]) (v: flat [n][m]) (a: flat [n][m]): flat [n][m] =
  tabulate_2d n m (\i j ->
    let here = a[i, j]
    let east = if j == m - 1 then here else a[i, j + 1]
    let west = if j == 0 then here else a[i, j - 1]
    let south = if i == n - 1 then here else a[i + 1, j]
    let north = if i == 0 then here else a[i - 1, j]
    let fx = if u[i, j] > 0 then u[i, j] * (here - west) else u[i, j] * (east - here)
    let fy = if v[i, j] > 0 then v[i, j] * (here - north) else v[i, j] * (south - here)
    in here - p.dt * (fx / p.dx + fy / p.dy))

def minmod (a: f64) (b: f64): f64 =
  if a * b <= 0 then 0 else if f64.abs a < f64.abs b then a else b

-- | The same with slopes that are limited, so that fronts stay sharp.
def advect2_sharp [n][m] (p: params) (u: flat [n][m]) (v: flat [n][m]) (a: flat [n][m]): flat [n][m] =
  let at i j = a[clamp 0 (n - 1) i, clamp 0 (m - 1) j]
  let slope_x i j = minmod (at i (j + 1) - at i j) (at i j - at i (j - 1))
  let slope_y i j = minmod (at (i + 1) j - at i j) (at i j - at (i - 1) j)
  let flux_x i j =
    -- Between (i, j - 1) and (i, j).
    if j == 0 || j == m then 0
    else
      let c = (u[i, j - 1] + u[i, j]) / 2
      let r = c * p.dt / p.dx
      in if c > 0
         then c * (at i (j - 1) + (1 - r) / 2 * slope_x i (j - 1))
         else c * (at i j - (1 + r) / 2 * slope_x i j)
  let flux_y i j =
    if i == 0 || i == n then 0
    else
      let c = (v[i - 1, j] + v[i, j]) / 2
      let r = c * p.dt / p.dy
      in if c > 0
         then c * (at (i - 1) j + (1 - r) / 2 * slope_y (i - 1) j)
         else c * (at i j - (1 + r) / 2 * slope_y i j)
  let fx = tabulate_2d n (m + 1) flux_x
  let fy = tabulate_2d (n + 1) m flux_y
  in tabulate_2d n m (\i j ->
       a[i, j]
       - p.dt * ((fx[i, j + 1] - fx[i, j]) / p.dx + (fy[i + 1, j] - fy[i, j]) / p.dy))

-- The ocean.

type ocean [n][m] = {
  height: flat [n][m],
  u: flat [n][m],
  v: flat [n][m],
  temperature: flat [n][m],
  salt: flat [n][m]
}

def density (t: f64) (s: f64): f64 = 1 - 0.002 * (t - 10) + 0.008 * (s - 35)

-- | The shores: nothing flows through them.
def shores [n][m] (o: ocean [n][m]): ocean [n][m] =
  let closed_x = map (\r -> map2 (\j x -> if j == 0 || j == m - 1 then 0 else x) (iota m) r)
  let closed_y a = map2 (\i r -> if i == 0 || i == n - 1 then map (const 0) r else r) (iota n) a
  in o with u = closed_x o.u with v = closed_y o.v

def momentum [n][m] (p: params) (wind_x: flat [n][m]) (wind_y: flat [n][m]) (o: ocean [n][m]): ocean [n][m] =
  let hx = ddx p o.height
  let hy = ddy p o.height
  let rho = zip_with2 density o.temperature o.salt
  let (rx, ry) = (ddx p rho, ddy p rho)
  let (lu, lv) = (laplace2 p o.u, laplace2 p o.v)
  let new_u =
    tabulate_2d n m (\i j ->
      o.u[i, j]
      + p.dt
        * (p.coriolis * o.v[i, j]
           - p.gravity * (hx[i, j] + p.depth / 2 * rx[i, j] / rho[i, j])
           + p.drag * (wind_x[i, j] - o.u[i, j])
           + p.viscosity * lu[i, j]))
  let new_v =
    tabulate_2d n m (\i j ->
      o.v[i, j]
      + p.dt
        * (-p.coriolis * o.u[i, j]
           - p.gravity * (hy[i, j] + p.depth / 2 * ry[i, j] / rho[i, j])
           + p.drag * (wind_y[i, j] - o.v[i, j])
           + p.viscosity * lv[i, j]))
  in o with u = advect2 p o.u o.v new_u
       with v = advect2 p o.u o.v new_v

-- | The water that flows through the sides of each cell raises or lowers its surface.
def continuity [n][m] (p: params) (o: ocean [n][m]): ocean [n][m] =
  let fx =
    tabulate_2d n (m + 1) (\i j ->
      if j == 0 || j == m then 0
      else (o.u[i, j - 1] + o.u[i, j]) / 2 * (p.depth + (o.height[i, j - 1] + o.height[i, j]) / 2))
  let fy =
    tabulate_2d (n + 1) m (\i j ->
      if i == 0 || i == n then 0
      else (o.v[i - 1, j] + o.v[i, j]) / 2 * (p.depth + (o.height[i - 1, j] + o.height[i, j]) / 2))
  let east = map (\r -> r[1:] :> [m]f64) fx
  let west = map (\r -> r[:m] :> [m]f64) fx
  let south = fy[1:] :> flat [n][m]
  let north = fy[:n] :> flat [n][m]
  let height =
    map5 (\hs es ws ss ns ->
            map5 (\h e w s n -> h - p.dt * ((e - w) / p.dx + (s - n) / p.dy)) hs es ws ss ns)
         o.height east west south north
  in o with height = height

def tracers [n][m] (p: params) (heat: flat [n][m]) (o: ocean [n][m]): ocean [n][m] =
  let t = advect2_sharp p o.u o.v o.temperature
  let t = diffuse_split p p.diffusivity t
  let t = zip_with2 (\x q -> x + p.dt * q) t heat
  let s = diffuse_split p p.diffusivity (advect2_sharp p o.u o.v o.salt)
  in o with temperature = t with salt = s

def ocean_step [n][m] (p: params) (wind_x: flat [n][m]) (wind_y: flat [n][m]) (heat: flat [n][m])
                      (o: ocean [n][m]): ocean [n][m] =
  o |> momentum p wind_x wind_y |> shores |> continuity p |> tracers p heat

def volume [n][m] (o: ocean [n][m]): f64 = sum2 o.height

def ocean_energy [n][m] (p: params) (o: ocean [n][m]): f64 =
  let kinetic = sum2 (map2 (map2 (\u v -> (u * u + v * v) / 2)) o.u o.v) * p.depth
  let potential = sum2 (map (map (\h -> p.gravity * h * h / 2)) o.height)
  in kinetic + potential

def vorticity [n][m] (p: params) (o: ocean [n][m]): flat [n][m] =
  zip_with2 (-) (ddx p o.v) (ddy p o.u)

-- | An eddy in a warm pool.
def new_ocean (n: i64) (m: i64): ocean [n][m] =
  let bump i j =
    let y = f64.i64 i - f64.i64 n / 2
    let x = f64.i64 j - f64.i64 m / 2
    in f64.exp (-(x * x + y * y) / 4)
  in {
    height = tabulate_2d n m (\i j -> 0.1 * bump i j),
    u = replicate n (replicate m 0),
    v = replicate n (replicate m 0),
    temperature = tabulate_2d n m (\i j -> 10 + 5 * bump i j),
    salt = tabulate_2d n m (\i j -> 35 + 0.1 * f64.i64 (i + j) / f64.i64 (n + m))
  }

-- Deep grids: layers from the ground up, periodic in both other directions.

def wrap (n: i64) (i: i64): i64 = if i < 0 then i + n else if i >= n then i - n else i

def sum3 [l][n][m] (a: deep [l][n][m]): f64 = f64.sum (map sum2 a)

def max_abs3 [l][n][m] (a: deep [l][n][m]): f64 = f64.maximum (map max_abs2 a)

-- | A deep grid with a layer below the ground and one above the sky.
def with_lids [l][n][m] (ground: flat [n][m]) (sky: flat [n][m]) (a: deep [l][n][m]): [][n][m]f64 =
  [ground] ++ a ++ [sky]

type neighbours = {here: f64, east: f64, west: f64, south: f64, north: f64, up: f64, down: f64}

-- | A function of each cell and the six around it. Above the sky and below the ground is what is next to it.
def stencil3 [l][n][m] (f: neighbours -> f64) (a: deep [l][n][m]): deep [l][n][m] =
  tabulate_3d l n m (\k i j ->
    f {here = a[k, i, j],
       east = a[k, i, wrap m (j + 1)],
       west = a[k, i, wrap m (j - 1)],
       south = a[k, wrap n (i + 1), j],
       north = a[k, wrap n (i - 1), j],
       up = a[i64.min (l - 1) (k + 1), i, j],
       down = a[i64.max 0 (k - 1), i, j]})

def laplace3 [l][n][m] (p: params) (a: deep [l][n][m]): deep [l][n][m] =
  stencil3 (\c ->
              (c.east + c.west - 2 * c.here) / (p.dx * p.dx)
              + (c.south + c.north - 2 * c.here) / (p.dy * p.dy)
              + (c.up + c.down - 2 * c.here) / (p.dz * p.dz))
           a

type air [l][n][m] = {
  wind: {u: deep [l][n][m], v: deep [l][n][m], w: deep [l][n][m]},
  pressure: deep [l][n][m],
  heat: deep [l][n][m],
  vapour: deep [l][n][m],
  cloud: deep [l][n][m]
}

-- | Where the air in each cell was a step ago, and what it carried there: trilinear interpolation.
def backtrace [l][n][m] (p: params) (u: deep [l][n][m]) (v: deep [l][n][m]) (w: deep [l][n][m])
                        (a: deep [l][n][m]): deep [l][n][m] =
  tabulate_3d l n m (\k i j ->
    let x = f64.i64 j - p.dt / p.dx * u[k, i, j]
    let y = f64.i64 i - p.dt / p.dy * v[k, i, j]
    let z = f64.max 0 (f64.min (f64.i64 (l - 1)) (f64.i64 k - p.dt / p.dz * w[k, i, j]))
    let (x0, y0, z0) = (f64.floor x, f64.floor y, f64.floor z)
    let (fx, fy, fz) = (x - x0, y - y0, z - z0)
    let j0 = i64.f64 x0 % m
    let i0 = i64.f64 y0 % n
    let k0 = i64.f64 z0
    let j1 = wrap m (j0 + 1)
    let i1 = wrap n (i0 + 1)
    let k1 = i64.min (l - 1) (k0 + 1)
    let mix t a b = a + t * (b - a)
    let layer kk =
      mix fy (mix fx a[kk, i0, j0] a[kk, i0, j1])
             (mix fx a[kk, i1, j0] a[kk, i1, j1])
    in mix fz (layer k0) (layer k1))

def divergence [l][n][m] (p: params) (u: deep [l][n][m]) (v: deep [l][n][m]) (w: deep [l][n][m]): deep [l][n][m] =
  tabulate_3d l n m (\k i j ->
    let above = if k == l - 1 then 0 else w[k + 1, i, j]
    in (u[k, i, wrap m (j + 1)] - u[k, i, j]) / p.dx
       + (v[k, wrap n (i + 1), j] - v[k, i, j]) / p.dy
       + (above - w[k, i, j]) / p.dz)

-- | Jacobi's method for the pressure; the ground and the sky hold it back.
def pressure_of [l][n][m] (p: params) (sweeps: i32) (start: deep [l][n][m]) (div: deep [l][n][m]): deep [l][n][m] =
  let (ax, ay, az) = (1 / (p.dx * p.dx), 1 / (p.dy * p.dy), 1 / (p.dz * p.dz))
  in loop q = start for _s < sweeps do
       tabulate_3d l n m (\k i j ->
         let sides =
           ax * (q[k, i, wrap m (j + 1)] + q[k, i, wrap m (j - 1)])
           + ay * (q[k, wrap n (i + 1), j] + q[k, wrap n (i - 1), j])
         let (up, nu) = if k == l - 1 then (0, 0) else (az * q[k + 1, i, j], az)
         let (down, nd) = if k == 0 then (0, 0) else (az * q[k - 1, i, j], az)
         in (sides + up + down - div[k, i, j] / p.dt) / (2 * ax + 2 * ay + nu + nd))

-- | Without what makes the air denser anywhere.
def project [l][n][m] (p: params) (sweeps: i32) (a: air [l][n][m]): air [l][n][m] =
  let {u, v, w} = a.wind
  let q = pressure_of p sweeps a.pressure (divergence p u v w)
  let u = tabulate_3d l n m (\k i j -> u[k, i, j] - p.dt * (q[k, i, j] - q[k, i, wrap m (j - 1)]) / p.dx)
  let v = tabulate_3d l n m (\k i j -> v[k, i, j] - p.dt * (q[k, i, j] - q[k, wrap n (i - 1), j]) / p.dy)
  let w =
    tabulate_3d l n m (\k i j ->
      if k == 0 then 0 else w[k, i, j] - p.dt * (q[k, i, j] - q[k - 1, i, j]) / p.dz)
  in a with wind = {u, v, w} with pressure = q

-- | Coriolis, friction and warm air that rises.
def forces [l][n][m] (p: params) (a: air [l][n][m]): air [l][n][m] =
  let {u, v, w} = a.wind
  let mean = map (\layer -> sum2 layer / f64.i64 (n * m)) a.heat
  let (lu, lv, lw) = (laplace3 p u, laplace3 p v, laplace3 p w)
  let u' =
    map4 (map4 (map4 (\u v l _ -> u + p.dt * (p.coriolis * v + p.viscosity * l)))) u v lu w
  let v' =
    map3 (map3 (map3 (\v u l -> v + p.dt * (p.viscosity * l - p.coriolis * u)))) v u lv
  let w' =
    map4 (\ws ls hs mean ->
            map3 (map3 (\w l h -> w + p.dt * (p.viscosity * l + p.buoyancy * (h - mean)))) ws ls hs)
         w lw a.heat mean
  in a with wind = {u = u', v = v', w = w'}

def transport [l][n][m] (p: params) (a: air [l][n][m]): air [l][n][m] =
  let {u, v, w} = a.wind
  let carry = backtrace p u v w
  in a with wind = {u = carry u, v = carry v, w = carry w}
       with heat = carry a.heat
       with vapour = carry a.vapour
       with cloud = carry a.cloud

def mix_air [l][n][m] (p: params) (a: air [l][n][m]): air [l][n][m] =
  let spread x = map2 (map2 (map2 (\c d -> c + p.dt * p.diffusivity * d))) x (laplace3 p x)
  in a with heat = spread a.heat
       with vapour = spread a.vapour

def saturation (heat: f64): f64 = 0.4 * f64.exp (0.06 * (heat - 10))

type sky = #clear f64 | #foggy f64 f64 | #raining f64

def sky_of (heat: f64) (vapour: f64) (cloud: f64): sky =
  let limit = saturation heat
  in if cloud > 0.5 then #raining (cloud - 0.5)
     else if vapour > limit then #foggy (vapour - limit) limit
     else #clear (f64.min cloud (limit - vapour))

-- | Vapour becomes cloud where there is too much of it, and cloud becomes vapour where there is room.
def condense [l][n][m] (p: params) (a: air [l][n][m]): (air [l][n][m], flat [n][m]) =
  let cell (h: f64) (q: f64) (c: f64): (f64, f64, f64, f64) =
    match sky_of h q c
    case #clear more -> (h - p.latent * more, q + more, c - more, 0)
    case #foggy less _ -> (h + p.latent * less / 2, q - less / 2, c + less / 2, 0)
    case #raining rain -> (h, q, c - rain, rain)
  let all = map3 (map3 (map3 cell)) a.heat a.vapour a.cloud
  let part 't (f: (f64, f64, f64, f64) -> t) = map (map (map f)) all
  let rain = reduce (map2 (map2 (+))) (replicate n (replicate m 0)) (part (.3))
  in (a with heat = part (.0) with vapour = part (.1) with cloud = part (.2), rain)

-- | A sponge under the sky takes the waves that come there.
def sponge [l][n][m] (p: params) (a: air [l][n][m]): air [l][n][m] =
  let damp (x: deep [l][n][m]) =
    map2 (\k layer ->
            if 4 * k < 3 * l then layer
            else
              let r = f64.i64 (4 * k - 3 * l + 1) / f64.i64 l
              in map (map (\y -> y * (1 - p.dt * r))) layer)
         (iota l) x
  in a with wind = {u = damp a.wind.u, v = damp a.wind.v, w = damp a.wind.w}

def air_step [l][n][m] (p: params) (sweeps: i32) (a: air [l][n][m]): (air [l][n][m], flat [n][m]) =
  a |> transport p |> mix_air p |> forces p |> sponge p |> project p sweeps |> condense p

def new_air (l: i64) (n: i64) (m: i64): air [l][n][m] =
  let nothing = replicate l (replicate n (replicate m 0))
  let swirl k i j = f64.sin (2 * f64.pi * f64.i64 (i + k) / f64.i64 n) * f64.cos (2 * f64.pi * f64.i64 j / f64.i64 m)
  in {
    wind = {
      u = tabulate_3d l n m (\k i j -> 0.5 + 0.2 * swirl k i j),
      v = tabulate_3d l n m (\k i j -> 0.3 * swirl i j k),
      w = nothing
    },
    pressure = nothing,
    heat = tabulate_3d l n m (\k i j -> 10 - 0.5 * f64.i64 k + swirl k i j),
    vapour = tabulate_3d l n m (\k _ j -> 0.3 / f64.i64 (k + 1) + 0.01 * f64.i64 (j % 3)),
    cloud = nothing
  }

-- Both.

type world [l][n][m] = {sea: ocean [n][m], air: air [l][n][m], rain: flat [n][m], time: f64}

-- | What goes through the surface: heat into the water, and into the lowest layer of the air.
def surface [l][n][m] (p: params) (w: world [l][n][m]): (flat [n][m], flat [n][m], flat [n][m]) =
  let speed =
    map2 (map2 (\u v -> f64.sqrt (u * u + v * v))) w.air.wind.u[0] w.air.wind.v[0]
  let heat =
    map3 (map3 (\s t h -> p.exchange * (1 + s) * (h - t))) speed w.sea.temperature w.air.heat[0]
  let vapour =
    map3 (map3 (\s t q -> p.exchange * (1 + s) * f64.max 0 (saturation t - q)))
         speed w.sea.temperature w.air.vapour[0]
  in (speed, heat, vapour)

def lowest [l][n][m] (f: flat [n][m] -> flat [n][m]) (a: deep [l][n][m]): deep [l][n][m] =
  map2 (\k layer -> if k == 0 then f layer else layer) (iota l) a

def step [l][n][m] (p: params) (sweeps: i32) (w: world [l][n][m]): world [l][n][m] =
  let (_, heat, vapour) = surface p w
  let sea = ocean_step p w.air.wind.u[0] w.air.wind.v[0] heat w.sea
  let warmed = lowest (\layer -> zip_with2 (\x q -> x - p.dt * q) layer heat) w.air.heat
  let moist = lowest (\layer -> zip_with2 (\x q -> x + p.dt * q) layer vapour) w.air.vapour
  let slowed (a: deep [l][n][m]) (c: flat [n][m]) =
    lowest (\layer -> zip_with2 (\x y -> x - p.dt * p.drag * (x - y)) layer c) a
  let air =
    w.air with heat = warmed
          with vapour = moist
          with wind.u = slowed w.air.wind.u w.sea.u
          with wind.v = slowed w.air.wind.v w.sea.v
  let (air, rain) = air_step p sweeps air
  in {sea, air, rain = zip_with2 (+) w.rain rain, time = w.time + p.dt}

def new_world (l: i64) (n: i64) (m: i64): world [l][n][m] =
  {sea = new_ocean n m, air = new_air l n m, rain = replicate n (replicate m 0), time = 0}

-- | The largest step that is stable, by the fastest of everything.
def stable_step [l][n][m] (p: params) (w: world [l][n][m]): f64 =
  let waves = f64.sqrt (p.gravity * (p.depth + max_abs2 w.sea.height))
  let currents = f64.max (max_abs2 w.sea.u) (max_abs2 w.sea.v)
  let winds = f64.max (max_abs3 w.air.wind.u) (max_abs3 w.air.wind.v)
  let rising = max_abs3 w.air.wind.w
  in f64.min (f64.min (p.dx / (waves + currents)) (p.dx / (winds + 1e-9))) (p.dz / (rising + 1e-9))

def mean_profile [l][n][m] (a: deep [l][n][m]): [l]f64 =
  map (\layer -> sum2 layer / f64.i64 (n * m)) a

-- | A picture of a flat grid with half as many points in each direction.
def coarse [n][m] (a: flat [n][m]): [][]f64 =
  tabulate_2d (n / 2) (m / 2) (\i j ->
    (a[2 * i, 2 * j] + a[2 * i, 2 * j + 1] + a[2 * i + 1, 2 * j] + a[2 * i + 1, 2 * j + 1]) / 4)

-- | The same three times over, as long as there is something left.
def pyramid [n][m] (a: flat [n][m]): ([][]f64, [][]f64, [][]f64) =
  let b = coarse a
  let c = coarse b
  in (b, c, coarse c)

-- Entry points.

entry simulate (l: i64) (n: i64) (m: i64) (steps: i32): ([n][m]f64, [n][m]f64, [l]f64, f64) =
  let w = loop w = new_world l n m for _i < steps do step usual 20 w
  in (w.sea.height, w.rain, mean_profile w.air.heat, stable_step usual w)

entry simulate_ocean [n][m] (steps: i32) (height: [n][m]f64) (temperature: [n][m]f64)
                   : ([n][m]f64, [n][m]f64, [n][m]f64, f64) =
  let nothing = replicate n (replicate m 0)
  let start = new_ocean n m with height = copy height with temperature = copy temperature
  let o = loop o = start for _i < steps do ocean_step usual nothing nothing nothing o
  in (o.height, o.temperature, vorticity usual o, ocean_energy usual o)

entry simulate_air [l][n][m] (steps: i32) (heat: [l][n][m]f64): ([l][n][m]f64, [n][m]f64, f64) =
  let start = new_air l n m with heat = copy heat
  let (a, rain) =
    loop (a, rain) = (start, replicate n (replicate m 0)) for _i < steps do
      let (a, more) = air_step usual 30 a
      in (a, zip_with2 (+) rain more)
  in (a.cloud, rain, max_abs3 (divergence usual a.wind.u a.wind.v a.wind.w))

entry adaptive (l: i64) (n: i64) (m: i64) (end: f64): (f64, i32, [][]f64, [][]f64, [][]f64) =
  let (w, steps) =
    loop (w, steps) = (new_world l n m, 0i32) while w.time < end && steps < 1000 do
      let p = usual with dt = f64.min 0.1 (0.4 * stable_step usual w)
      in (step p 10 w, steps + 1)
  let (a, b, c) = pyramid w.sea.temperature
  in (w.time, steps, a, b, c)

entry padded [l][n][m] (a: [l][n][m]f64): f64 =
  sum3 (with_lids a[0] a[l - 1] a)

-- What must hold.

def close (a: f64) (b: f64): bool = f64.abs (a - b) <= 1e-9 * (1 + f64.abs a + f64.abs b)

-- | What flows in a closed basin is neither lost nor made.
entry test_advection (n: i64) (m: i64): bool =
  let o = shores (new_ocean n m with u = tabulate_2d n m (\i j -> 0.1 * f64.i64 (i - j))
                                 with v = tabulate_2d n m (\i j -> 0.1 * f64.i64 (i + j) - 0.5))
  let a = advect2_sharp usual o.u o.v o.temperature
  in close (sum2 a) (sum2 o.temperature) && !close a[n / 2, m / 2] o.temperature[n / 2, m / 2]

-- | Diffusion keeps the sum, and makes the highest lower.
entry test_diffusion (n: i64) (m: i64): bool =
  let a = (new_ocean n m).temperature
  let b = diffuse_split usual 0.5 a
  let c = zip_with2 (\x d -> x + usual.dt * 0.5 * d) a (laplace2 usual a)
  in close (sum2 a) (sum2 b) && close (sum2 a) (sum2 c) && max_abs2 b < max_abs2 a && max_abs2 c < max_abs2 a

-- | More sweeps leave less divergence.
entry test_projection (n: i64) (m: i64): bool =
  let a = new_air 4 n m
  let left sweeps =
    let b = project usual sweeps a
    in max_abs3 (divergence usual b.wind.u b.wind.v b.wind.w)
  in left 200 < left 20 && left 20 < left 0

entry test_ocean (n: i64) (m: i64): bool =
  let (height, _, _, energy) =
    simulate_ocean 10 (new_ocean n m).height (new_ocean n m).temperature
  in close (sum2 height) (volume (new_ocean n m)) && energy > 0 && energy < 10

entry test_air (n: i64) (m: i64): bool =
  let a = new_air 4 n m
  let (b, rain) = condense usual a
  let water x = sum3 x.vapour + sum3 x.cloud
  in close (water a) (water b + sum2 rain) && close (padded a.heat) (sum3 a.heat + sum2 a.heat[0] + sum2 a.heat[3])

entry test_coupled (n: i64) (m: i64): bool =
  let (height, rain, profile, limit) = simulate 4 n m 5
  in f64.abs (sum2 height - volume (new_ocean n m)) < 1e-9
     && sum2 rain >= 0
     && and (map2 (>) (init profile) (tail profile))
     && limit > 0
