-- Monte Carlo prices of path-dependent options: Sobol points, the inverse normal distribution, a Brownian bridge,
-- correlated assets that follow geometric Brownian motion, and three payoffs per path; the answer is their means and
-- standard errors.
-- ==
-- entry: main
-- nobench input { 7i32 1i64 1i64 0.0f64 }
-- output { [1.447523582f64, 1.447523582f64, 12.72984452f64] [1.135756935f64, 1.135756935f64, 3.823159196f64] }
-- nobench input { 200i32 3i64 7i64 0.3f64 }
-- output { [7.190267225f64, 4.534148776f64, 5.080289214f64] [0.7341383423f64, 0.4473672222f64, 0.5962241457f64] }
-- "small" compiled input { 3000i32 3i64 8i64 0.3f64 }
-- "medium" compiled input { 20000i32 4i64 16i64 0.3f64 }
-- "large" compiled input { 100000i32 3i64 32i64 0.3f64 }

-- ---------------------------------------------------------------- Sobol numbers

-- Direction vectors for dimension d: dimension 0 is van der Corput, the others come from x^s + ... + 1 over the field
-- of two elements, whose coefficients are the bits of a table of primitive polynomials.
def polynomials: [16]u32 =
  [3, 7, 11, 13, 19, 25, 37, 41, 47, 55, 59, 61, 67, 91, 97, 103]

def degree (p: u32): i32 = 31 - u32.clz p

def directions (d: i64): [32]u32 =
  if d == 0 then map (\i -> 1 << (31 - u32.i64 i)) (iota 32)
  else
    let poly = polynomials[(d - 1) % 16]
    let s = degree poly
    -- the first s numbers are free as long as they are odd and small enough
    let free i = ((u32.i64 d * 7 + u32.i64 i * 5) % (1 << u32.i64 i)) * 2 + 1
    let m0 = tabulate 32 (\i -> if i32.i64 i < s then free i else 0)
    let m =
      loop m = m0 for i in s...31 do
        let start = m[i - s] ^ (m[i - s] << u32.i32 s)
        let next =
          loop acc = start for k < s - 1 do
            let bit = poly >> u32.i32 (s - 1 - k) & 1
            in acc ^ bit * (m[i - 1 - k] << u32.i32 (k + 1))
        in m with [i] = next
    in map2 (\v i -> v << (31 - u32.i64 i)) m (iota 32)

def sobol [d] (dirs: [d][32]u32) (n: i32): [d]f64 =
  let gray = u32.i32 (n ^ (n >> 1))
  let xor_bits (vs: [32]u32) =
    map2 (\i v -> if u32.get_bit i gray == 1 then v else 0)
         (map i32.i64 (iota 32)) vs
    |> reduce (^) 0
  in map (\vs -> (f64.u32 (xor_bits vs) + 0.5) / 4294967296) dirs

-- ---------------------------------------------------------------- normal numbers

def horner [k] (cs: [k]f64) (x: f64): f64 = foldr (\c acc -> c + x * acc) 0 cs

-- The inverse of the normal distribution by rational functions, one for the middle and one for the tails.
def inverse_normal (p: f64): f64 =
  let a = [2.50662823884, -18.61500062529, 41.39119773534, -25.44106049637]
  let b = [1, -8.47351093090, 23.08336743743, -21.06224101826, 3.13082909833]
  let c =
    [0.3374754822726147, 0.9761690190917186, 0.1607979714918209,
     0.0276438810333863, 0.0038405729373609,
     0.0003951896511919, 0.0000321767881768, 0.0000002888167364,
     0.0000003960315187]
  let x = p - 0.5
  in if f64.abs x < 0.42
     then x * horner a (x * x) / horner b (x * x)
     else
       let r = if x > 0 then 1 - p else p
       let z = horner c (f64.log (-f64.log r))
       in if x > 0 then z else -z

-- ---------------------------------------------------------------- Brownian bridge

-- Step i of the bridge fills point `at` between the known points `left` and `right`.
type bridge_step = {at: i64, left: i64, right: i64, lw: f64, rw: f64, sd: f64}

def build_bridge (k: i64): [k]bridge_step =
  let t i = f64.i64 (i + 1) / f64.i64 k
  let last = {at = k - 1, left = -1, right = -1, lw = 0, rw = 0, sd = 1}
  let (steps, _, _, _) =
    loop (steps, used, i,
          j) = (replicate k last, replicate k false with [k - 1] = true, 1, 0)
    while i < k do
      -- the next run of free points from j on
      let l = loop l = j while used[l] do l + 1
      let r = loop r = l while !used[r] do r + 1
      let m = l + (r - 1 - l) / 2
      let tl = if l == 0 then 0 else t (l - 1)
      let step = {at = m, left = l - 1, right = r,
                  lw = (t r - t m) / (t r - tl),
                  rw = (t m - tl) / (t r - tl),
                  sd = f64.sqrt ((t m - tl) * (t r - t m) / (t r - tl))}
      in (steps with [i] = step, used with [m] = true, i + 1,
          if r + 1 >= k then 0 else r + 1)
  in steps

def bridge [k] (steps: [k]bridge_step) (gauss: [k]f64): [k]f64 =
  let path =
    loop w = replicate k 0 for i < k do
      let s = steps[i]
      let left = if s.left < 0 then 0 else w[s.left]
      let right = if s.right < 0 then 0 else w[s.right]
      in w with [s.at] = s.lw * left + s.rw * right + s.sd * gauss[i]
  -- the increments
  in map2 (-) path (rotate (-1) path with [0] = 0)

-- ---------------------------------------------------------------- assets and payoffs

type market [a] =
  {start: [a]f64,
   sigma: [a]f64,
   chol: [a][a]f64,
   rate: f64,
   years: f64,
   strike: f64}

def prices [a] [k] (m: market [a]) (w: [k][a]f64): [k][a]f64 =
  let dt = m.years / f64.i64 k
  let correlate (z: [a]f64) = map (\row -> f64.sum (map2 (*) row z)) m.chol
  let move s sigma z =
    s
    * f64.exp ((m.rate - 0.5 * sigma * sigma) * dt
               + sigma * f64.sqrt m.years * z)
  let (_, out) =
    loop (now, out) = (m.start, replicate k (replicate a 0)) for i < k do
      let next = map3 move now m.sigma (correlate w[i])
      in (next, out with [i] = copy next)
  in out

def mean [n] (xs: [n]f64): f64 = f64.sum xs / f64.i64 n

-- A call on the basket at the end, an Asian call on its mean, and a barrier call on the worst asset.
def payoffs [a] [k] (m: market [a]) (path: [k][a]f64): [3]f64 =
  let basket = map mean path
  let worst = map2 (/) path[k - 1] m.start |> f64.minimum
  let knocked = any (any id) (map (map2 (\s p -> p < 0.6 * s) m.start) path)
  let discount = f64.exp (-m.rate * m.years)
  in map (* discount) [f64.max 0 (basket[k - 1] - m.strike),
                       f64.max 0 (mean basket - m.strike),
                       if knocked then 0 else 100 * f64.max 0 (worst - 0.9)]

def simulate [a] [k] (m: market [a]) (steps: [k]bridge_step)
             (dirs: [k * a][32]u32) (n: i32): [3]f64 =
  sobol dirs n
  |> map inverse_normal
  |> unflatten
  |> transpose
  |> map (bridge steps)
  |> transpose
  |> prices m
  |> payoffs m

-- A common correlation between every two assets, as a Cholesky factor.
def cholesky [n] (c: [n][n]f64): [n][n]f64 =
  loop l = replicate n (replicate n 0) for j < n do
    let d = f64.sqrt (c[j, j] - f64.sum (map (\x -> x * x) l[j, :j]))
    let column = tabulate n (\i ->
                               if i < j then 0 else if i == j then d
                               else
                                 (c[i, j]
                                  - f64.sum (map2 (*) l[i, :j] l[j, :j]))
                                 / d)
    in l with [:, j] = column

entry main (paths: i32) (a: i64) (k: i64) (rho: f64): ([3]f64, [3]f64) =
  let market = {start = tabulate a (\i -> 90 + 10 * f64.i64 (i % 3)),
                sigma = tabulate a (\i -> 0.15 + 0.05 * f64.i64 (i % 4)),
                chol =
                  cholesky (tabulate_2d a a (\i j ->
                              if i == j then 1 else rho)),
                rate = 0.03, years = 1, strike = 100}
  let dirs = map directions (iota (k * a))
  let steps = build_bridge k
  let (sums, squares) =
    map (\n ->
           let v = simulate market steps dirs (n + 1)
           in (v, map (\x -> x * x) v))
        (0..<paths)
    |> reduce_comm (\(a, b) (c, d) -> (map2 (+) a c, map2 (+) b d))
                   (replicate 3 0, replicate 3 0)
  let count = f64.i32 paths
  let means = map (/ count) sums
  let errors =
    map2 (\m q -> f64.sqrt (f64.max 0 (q / count - m * m) / count)) means
         squares
  in (means, errors)
