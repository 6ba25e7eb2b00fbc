-- Prices of calls under a local volatility with a second, mean-reverting factor: for every strike a two-dimensional
-- partial differential equation is taken back in time by alternating directions. The tridiagonal systems of the
-- implicit halves are solved by scans: one with 2 by 2 matrices, two with linear functions.
-- ==
-- entry: main
-- nobench input { 7i64 5i64 4i64 0.2f64 0.3f64 -0.2f64 [0.5f64, 0.8f64, 1.0f64, 1.2f64] }
-- output { [0.5019604016f64, 0.2343508432f64, 0.06691603298f64, 0.04782298579f64] }
-- nobench input { 16i64 9i64 11i64 0.4f64 0.1f64 0.3f64 [0.9f64, 1.1f64] }
-- output { [0.3302231946f64, 0.245622842f64] }
-- "small" compiled script input { strikes 8i64 24i64 24i64 32i64 }
-- "medium" compiled script input { strikes 16i64 48i64 32i64 64i64 }
-- "large" compiled script input { strikes 32i64 64i64 64i64 100i64 }

type band = (f64, f64, f64)

-- The first and second derivatives on a grid that need not be even; nothing at the two ends.
def differences [n] (xs: [n]f64): ([n]band, [n]band) =
  unzip (tabulate n (\i ->
           if i == 0 || i == n - 1 then ((0, 0, 0), (0, 0, 0))
           else
             let l = xs[i] - xs[i - 1]
             let u = xs[i + 1] - xs[i]
             in ((-u / l / (l + u), (u / l - l / u) / (l + u), l / u / (l + u)),
                 (2 / l / (l + u), -2 * (1 / l + 1 / u) / (l + u),
                  2 / u / (l + u)))))

-- mu * first + var / 2 * second
def generator (mu: f64) (var: f64) (d: band) (dd: band): band =
  let v = 0.5 * var
  in (mu * d.0 + v * dd.0, mu * d.1 + v * dd.1, mu * d.2 + v * dd.2)

def apply_band [n] (bands: [n]band) (v: [n]f64): [n]f64 =
  map2 (\i (a, b, c) ->
          let below = if i > 0 then a * v[i - 1] else 0
          let above = if i < n - 1 then c * v[i + 1] else 0
          in below + b * v[i] + above)
       (iota n) bands

-- Matrices count up to a factor here, so large ones are brought back.
type mat = (f64, f64, f64, f64)
def mul (x: mat) (y: mat): mat =
  let a = y.0 * x.0 + y.1 * x.2
  let b = y.0 * x.1 + y.1 * x.3
  let c = y.2 * x.0 + y.3 * x.2
  let d = y.2 * x.1 + y.3 * x.3
  let size = f64.abs a + f64.abs b + f64.abs c + f64.abs d
  in if size > 1e60
     then (a / size, b / size, c / size, d / size)
     else (a, b, c, d)

def linear (f: (f64, f64)) (g: (f64, f64)): (f64, f64) =
  (g.0 + g.1 * f.0, f.1 * g.1)

-- a[i] * x[i - 1] + b[i] * x[i] + c[i] * x[i + 1] = y[i]
def tridiagonal [n] (a: [n]f64) (b: [n]f64) (c: [n]f64) (y: [n]f64): [n]f64 =
  -- the pivots: p[i] = b[i] - a[i] * c[i - 1] / p[i - 1]
  let b0 = b[0]
  let mats =
    map (\i -> if i > 0 then (b[i], -a[i] * c[i - 1], 1, 0) else (1, 0, 0, 1))
        (iota n)
  let pivots =
    scan mul (1, 0, 0, 1) mats
    |> map (\(p, q, r, s) -> (p * b0 + q) / (r * b0 + s))
  -- forwards
  let y0 = y[0]
  let lfs =
    map (\i -> if i > 0 then (y[i], -a[i] / pivots[i - 1]) else (0, 1)) (iota n)
  let ys = scan linear (0, 1) lfs |> map (\(p, q) -> p + q * y0)
  -- backwards
  let last = ys[n - 1] / pivots[n - 1]
  let lfs' = map (\k ->
                    let i = n - 1 - k
                    in if k > 0
                       then (ys[i] / pivots[i], -c[i] / pivots[i])
                       else (0, 1))
                 (iota n)
  in scan linear (0, 1) lfs' |> map (\(p, q) -> p + q * last) |> reverse

-- (1 / dt - L / 2) x = y
def implicit [n] (dt_inv: f64) (bands: [n]band) (y: [n]f64): [n]f64 =
  let (a, b, c) =
    unzip3 (map (\(l, m, u) -> (-0.5 * l, dt_inv - 0.5 * m, -0.5 * u)) bands)
  in tridiagonal a b c y

type model = {alpha: f64, nu: f64, beta: f64}

def local_variance (m: model) (x: f64) (y: f64) (t: f64): f64 =
  let s = f64.exp (2 * (m.beta * x + y - m.nu * m.nu * t))
  in s * m.alpha * m.alpha

def price [nx] [ny] [nt] (m: model) (xs: [nx]f64) (ys: [ny]f64) (ts: [nt]f64)
          (strike: f64): f64 =
  let (dx, dxx) = differences xs
  let (dy, dyy) = differences ys
  let payoff = map (\x -> replicate ny (f64.max 0 (f64.exp x - strike))) xs
  let final =
    loop v = payoff for k < nt - 1 do
      let t = nt - 2 - k
      let dt_inv = 1 / (ts[t + 1] - ts[t])
      let time = ts[t]
      -- one row of bands for every y, one for every x
      let in_x = map (\y -> map3 (\x d dd ->
                                    let var = local_variance m x y time
                                    in generator (-0.5 * var) var d dd)
                                 xs dx dxx) ys
      let in_y =
        map (\_ ->
               map3 (\y d dd -> generator (-0.3 * y) (m.nu * m.nu) d dd) ys dy
                    dyy)
            xs
      -- explicit in x and y
      let u = map2 (\bands column ->
                      map2 (\half whole -> dt_inv * whole + 0.5 * half)
                           (apply_band bands column) column)
                   in_x (transpose v)
      let w = map2 apply_band in_y v
      let u = map2 (map2 (+)) u (transpose w)
      -- implicit in x, then in y
      let u = map2 (implicit dt_inv) in_x u
      let r = map2 (map2 (\u w -> dt_inv * u - 0.5 * w)) (transpose u) w
      in map2 (implicit dt_inv) in_y r
  in final[nx / 2, ny / 2]

-- A grid from -width to width, closer in the middle.
def sinh_grid (n: i64) (width: f64): [n]f64 =
  tabulate n (\i ->
                width
                * f64.sinh (2 * f64.i64 (2 * i - (n - 1)) / f64.i64 (n - 1))
                / f64.sinh 2)

entry main [s] (nx: i64) (ny: i64) (nt: i64) (alpha: f64) (nu: f64) (beta: f64)
           (strikes: [s]f64): [s]f64 =
  let xs = sinh_grid nx 2.5
  let ys = sinh_grid ny 1.5
  let ts = tabulate nt (\i -> 2 * f64.i64 i / f64.i64 (nt - 1))
  in map (price {alpha, nu, beta} xs ys ts) strikes

entry strikes (s: i64) (nx: i64) (ny: i64) (nt: i64)
              : (i64, i64, i64, f64, f64, f64, [s]f64) =
  (nx, ny, nt, 0.2, 0.3, -0.2, tabulate s (\i -> 0.5 + f64.i64 i / f64.i64 s))
