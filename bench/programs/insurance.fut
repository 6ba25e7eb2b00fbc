-- | An insurer's year, simulated many times over: contracts of several kinds,
-- claims of several kinds, reinsurance in layers, capital markets, reserves
-- and what regulators want to know of all that. Small functions in many
-- modules, most of which work for any kind of what they are about.
-- ==
-- entry: test_rng test_stats test_claims test_treaties test_markets test_life test_reserves test_year test_tower
-- input { 1i64 } output { true }
-- input { 42i64 } output { true }

-- Options and lists.

type opt 'a = #none | #some a

module opt = {
  def map 'a 'b (f: a -> b) (x: opt a): opt b =
    match x
    case #none -> #none
    case #some y -> #some (f y)

  def get 'a (default: a) (x: opt a): a =
    match x
    case #none -> default
    case #some y -> y

  def or 'a (x: opt a) (y: opt a): opt a =
    match x
    case #none -> y
    case #some _ -> x

  def when 'a (p: a -> bool) (x: a): opt a = if p x then #some x else #none

  def both 'a 'b (x: opt a) (y: opt b): opt (a, b) =
    match (x, y)
    case (#some a, #some b) -> #some (a, b)
    case _ -> #none

  def is_some 'a (x: opt a): bool =
    match x
    case #none -> false
    case #some _ -> true
}

-- Random numbers: a counter that is scrambled.

module type source = {
  type t
  val seeded: i64 -> t
  val next: t -> (u64, t)
  val split: i64 -> t -> t
}

module weyl: source = {
  type t = {state: u64, step: u64}

  def scramble (x: u64): u64 =
    let x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
    let x = (x ^ (x >> 27)) * 0x94d049bb133111eb
    in x ^ (x >> 31)

  def seeded (seed: i64): t = {state = scramble (u64.i64 seed), step = 0x9e3779b97f4a7c15}

  def next (t: t): (u64, t) =
    let state = t.state + t.step
    in (scramble state, t with state = state)

  def split (i: i64) (t: t): t =
    {state = scramble (t.state ^ scramble (u64.i64 i)), step = scramble (t.step + 2 * u64.i64 i) | 1}
}

-- | Distributions over a source and a type of real numbers.
module distributions (s: source) (r: real) = {
  type t = s.t

  def uniform (g: s.t): (r.t, s.t) =
    let (x, g) = s.next g
    in (r.f64 (f64.u64 (x >> 11) / 9007199254740992), g)

  def between (lo: r.t) (hi: r.t) (g: s.t): (r.t, s.t) =
    let (x, g) = uniform g
    in (r.(lo + (hi - lo) * x), g)

  def exponential (mean: r.t) (g: s.t): (r.t, s.t) =
    let (x, g) = uniform g
    in (r.(neg mean * log (i64 1 - x)), g)

  def normal (mu: r.t) (sigma: r.t) (g: s.t): (r.t, s.t) =
    let (x, g) = uniform g
    let (y, g) = uniform g
    let radius = r.(sqrt (neg (i64 2) * log (i64 1 - x)))
    in (r.(mu + sigma * radius * cos (i64 2 * pi * y)), g)

  def lognormal (mu: r.t) (sigma: r.t) (g: s.t): (r.t, s.t) =
    let (x, g) = normal mu sigma g
    in (r.exp x, g)

  def pareto (scale: r.t) (shape: r.t) (g: s.t): (r.t, s.t) =
    let (x, g) = uniform g
    in (r.(scale * (i64 1 - x) ** (neg (i64 1) / shape)), g)

  def bernoulli (p: r.t) (g: s.t): (bool, s.t) =
    let (x, g) = uniform g
    in (r.(x < p), g)

  -- | By counting; for small means.
  def poisson (mean: r.t) (g: s.t): (i64, s.t) =
    let limit = r.(exp (neg mean))
    let (n, _, g) =
      loop (n, p, g) = (-1, r.i64 1, g) while r.(p > limit) && n < 100 do
        let (x, g) = uniform g
        in (n + 1, r.(p * x), g)
    in (n, g)

  def gamma_of_integer (k: i64) (scale: r.t) (g: s.t): (r.t, s.t) =
    loop (total, g) = (r.i64 0, g) for _i < k do
      let (x, g) = exponential scale g
      in (r.(total + x), g)
}

module dist = distributions weyl f64

-- Statistics over any type of real numbers.

module statistics (r: real) = {
  type t = r.t

  def mean [n] (xs: [n]t): t = r.(sum xs / i64 n)

  def variance [n] (xs: [n]t): t =
    let m = mean xs
    let total = r.sum (map (\x -> r.((x - m) * (x - m))) xs)
    let k = r.i64 (i64.max 1 (n - 1))
    in r.(total / k)

  def deviation [n] (xs: [n]t): t = r.sqrt (variance xs)

  def correlation [n] (xs: [n]t) (ys: [n]t): t =
    let (mx, my) = (mean xs, mean ys)
    let co = r.sum (map2 (\x y -> r.((x - mx) * (y - my))) xs ys)
    let k = r.i64 (i64.max 1 (n - 1))
    in r.(co / k / (deviation xs * deviation ys))

  -- | By merging runs of two, four and so on.
  def sorted [n] (xs: [n]t): [n]t =
    let place i x = i64.sum (map2 (\j y -> i64.bool (r.(y < x) || r.(y == x) && j < i)) (iota n) xs)
    in scatter (replicate n (r.i64 0)) (map2 place (iota n) xs) xs

  def quantile [n] (q: t) (sorted: [n]t): t =
    sorted[i64.max 0 (i64.min (n - 1) (r.to_i64 (r.(q * i64 n))))]

  -- | The mean of what is beyond a quantile.
  def shortfall [n] (q: t) (sorted: [n]t): t =
    let from = i64.max 0 (i64.min (n - 1) (r.to_i64 (r.(q * i64 n))))
    in mean sorted[from:]

  def histogram [n] (k: i64) (lo: t) (hi: t) (xs: [n]t): [k]i64 =
    let bin x = r.to_i64 (r.((x - lo) / (hi - lo) * i64 k))
    in reduce_by_index (replicate k 0) (+) 0 (map (\x -> i64.max 0 (i64.min (k - 1) (bin x))) xs) (replicate n 1)

  type summary = {mean: t, deviation: t, median: t, var: t, tvar: t}

  def summary [n] (xs: [n]t): summary =
    let s = sorted xs
    in {mean = mean xs,
        deviation = deviation xs,
        median = quantile (r.f64 0.5) s,
        var = quantile (r.f64 0.95) s,
        tvar = shortfall (r.f64 0.95) s}
}

module stats = statistics f64

-- Contracts.

type region = #coast | #city | #country

type vehicle = #car | #truck | #motorcycle

type contract
  = #motor {vehicle: vehicle, age: i64, value: f64, excess: f64}
  | #home {region: region, sum: f64, excess: f64}
  | #life {age: i64, sum: f64, smoker: bool}
  | #liability {turnover: f64, limit: f64}
  | #travel {days: i64, price: f64}

def region_of (i: i64): region =
  match i % 3
  case 0 -> #coast
  case 1 -> #city
  case _ -> #country

def vehicle_of (i: i64): vehicle =
  match i % 5
  case 0 -> #truck
  case 1 -> #motorcycle
  case _ -> #car

def hazard (r: region): f64 =
  match r
  case #coast -> 0.03
  case #city -> 0.01
  case #country -> 0.015

def frequency (v: vehicle) (age: i64): f64 =
  let base =
    match v
    case #car -> 0.08
    case #truck -> 0.12
    case #motorcycle -> 0.05
  let by_age = if age < 25 then 2.0 else if age < 65 then 1 else 1.3
  in base * by_age

-- | Gompertz' law.
def mortality (age: i64) (smoker: bool): f64 =
  f64.min 1 (0.00005 * f64.exp (0.095 * f64.i64 age) * (if smoker then 2 else 1))

def premium (c: contract): f64 =
  match c
  case #motor {vehicle, age, value, excess} ->
    1.3 * frequency vehicle age * f64.max 100 (0.2 * value - excess)
  case #home {region, sum, excess} -> 1.4 * hazard region * f64.max 50 (0.1 * sum - excess)
  case #life {age, sum, smoker} -> 1.1 * mortality age smoker * sum
  case #liability {turnover, limit} -> 0.002 * turnover + 0.001 * limit
  case #travel {days, price} -> 0.01 * f64.i64 days * f64.sqrt price

def insured (c: contract): f64 =
  match c
  case #motor {vehicle = _, age = _, value, excess = _} -> value
  case #home {region = _, sum, excess = _} -> sum
  case #life {age = _, sum, smoker = _} -> sum
  case #liability {turnover = _, limit} -> limit
  case #travel {days = _, price} -> price

-- | The line of business, as a number for tables.
def line_of (c: contract): i64 =
  match c
  case #motor _ -> 0
  case #home _ -> 1
  case #life _ -> 2
  case #liability _ -> 3
  case #travel _ -> 4

def lines: i64 = 5

def random_contract (g: dist.t): (contract, dist.t) =
  let (u, g) = dist.uniform g
  let (size, g) = dist.lognormal 10 0.6 g
  let (age, g) = dist.between 18 80 g
  let (kind, g) = dist.between 0 30 g
  let (kind, age) = (i64.f64 kind, i64.f64 age)
  let c: contract =
    if u < 0.4 then #motor {vehicle = vehicle_of kind, age, value = size, excess = 500}
    else if u < 0.65 then #home {region = region_of kind, sum = 8 * size, excess = 1000}
    else if u < 0.8 then #life {age, sum = 5 * size, smoker = kind % 4 == 0}
    else if u < 0.9 then #liability {turnover = 20 * size, limit = 40 * size}
    else #travel {days = 3 + kind, price = 0.1 * size}
  in (c, g)

-- Claims.

type claim
  = #paid {amount: f64, line: i64}
  | #reserved {amount: f64, line: i64, years: i64}
  | #catastrophe {amount: f64, region: region}

def claim_amount (c: claim): f64 =
  match c
  case #paid {amount, line = _} -> amount
  case #reserved {amount, line = _, years = _} -> amount
  case #catastrophe {amount, region = _} -> amount

def claim_line (c: claim): i64 =
  match c
  case #paid {amount = _, line} -> line
  case #reserved {amount = _, line, years = _} -> line
  case #catastrophe _ -> 1

-- | How bad a year is for each region.
type storms = {coast: f64, city: f64, country: f64}

def storm_of (s: storms) (r: region): f64 =
  match r
  case #coast -> s.coast
  case #city -> s.city
  case #country -> s.country

def random_storms (g: dist.t): (storms, dist.t) =
  let one (mean: f64) (g: dist.t) =
    let (n, g) = dist.poisson mean g
    let (worst, g) =
      loop (worst, g) = (0, g) for _i < n do
        let (x, g) = dist.pareto 0.01 1.8 g
        in (f64.max worst x, g)
    in (f64.min 0.5 worst, g)
  let (coast, g) = one 0.8 g
  let (city, g) = one 0.2 g
  let (country, g) = one 0.4 g
  in ({coast, city, country}, g)

-- | The claim of one contract in one year, if it has one.
def claim_of (s: storms) (c: contract) (g: dist.t): (opt claim, dist.t) =
  match c
  case #motor {vehicle, age, value, excess} ->
    let (n, g) = dist.poisson (frequency vehicle age) g
    let (total, g) =
      loop (total, g) = (0, g) for _i < n do
        let (x, g) = dist.exponential (0.2 * value) g
        in (total + f64.max 0 (f64.min value x - excess), g)
    in (if total > 0 then #some (#paid {amount = total, line = line_of c}) else #none, g)
  case #home {region, sum, excess} ->
    let (hit, g) = dist.bernoulli (hazard region) g
    let (part, g) = dist.between 0.02 0.3 g
    let storm = storm_of s region
    in if storm > 0.02 then (#some (#catastrophe {amount = f64.max 0 (storm * sum - excess), region}), g)
       else if hit then (#some (#paid {amount = f64.max 0 (part * sum - excess), line = line_of c}), g)
       else (#none, g)
  case #life {age, sum, smoker} ->
    let (dies, g) = dist.bernoulli (mortality age smoker) g
    in (if dies then #some (#paid {amount = sum, line = line_of c}) else #none, g)
  case #liability {turnover, limit} ->
    let (sued, g) = dist.bernoulli 0.02 g
    let (x, g) = dist.pareto (0.01 * turnover) 1.5 g
    let (years, g) = dist.between 1 6 g
    in (if sued
        then #some (#reserved {amount = f64.min limit x, line = line_of c, years = i64.f64 years})
        else #none, g)
  case #travel {days, price} ->
    let (ill, g) = dist.bernoulli (0.004 * f64.i64 days) g
    in (if ill then #some (#paid {amount = price, line = line_of c}) else #none, g)

-- Reinsurance.

module type treaty = {
  type t
  -- | What remains of a loss, and what the reinsurer pays.
  val cede: t -> f64 -> (f64, f64)
  val price: t -> f64 -> f64
}

module quota_share: treaty with t = {share: f64} = {
  type t = {share: f64}
  def cede (t: t) (loss: f64): (f64, f64) = ((1 - t.share) * loss, t.share * loss)
  def price (t: t) (premiums: f64): f64 = 0.9 * t.share * premiums
}

module excess_of_loss: treaty with t = {from: f64, to: f64, rate: f64} = {
  type t = {from: f64, to: f64, rate: f64}

  def cede (t: t) (loss: f64): (f64, f64) =
    let paid = f64.max 0 (f64.min loss t.to - t.from)
    in (loss - paid, paid)

  def price (t: t) (_: f64): f64 = t.rate * (t.to - t.from)
}

module stop_loss: treaty with t = {ratio: f64, premiums: f64} = {
  type t = {ratio: f64, premiums: f64}

  def cede (t: t) (loss: f64): (f64, f64) =
    let limit = t.ratio * t.premiums
    in (f64.min loss limit, f64.max 0 (loss - limit))

  def price (t: t) (premiums: f64): f64 = 0.03 * premiums / t.ratio
}

-- | One treaty on what another leaves.
module then_also (a: treaty) (b: treaty): treaty with t = (a.t, b.t) = {
  type t = (a.t, b.t)

  def cede ((s, t): t) (loss: f64): (f64, f64) =
    let (left, first) = a.cede s loss
    let (left, second) = b.cede t left
    in (left, first + second)

  def price ((s, t): t) (premiums: f64): f64 = a.price s premiums + b.price t premiums
}

-- | A treaty that may not be in force.
module if_signed (a: treaty): treaty with t = opt a.t = {
  type t = opt a.t

  def cede (t: t) (loss: f64): (f64, f64) =
    match t
    case #none -> (loss, 0)
    case #some t -> a.cede t loss

  def price (t: t) (premiums: f64): f64 = opt.get 0 (opt.map (\t -> a.price t premiums) t)
}

module layers = then_also excess_of_loss excess_of_loss
module first_treaty = if_signed quota_share
module programme = then_also first_treaty (then_also layers stop_loss)

def usual_programme (premiums: f64): programme.t =
  (#some {share = 0.2},
   (({from = 0.3 * premiums, to = 0.6 * premiums, rate = 0.08},
     {from = 0.6 * premiums, to = 1.5 * premiums, rate = 0.03}),
    {ratio = 1.2, premiums}))

-- Markets.

type asset = #bond {coupon: f64, years: i64} | #share {beta: f64} | #cash

type economy = {rate: f64, market: f64, inflation: f64}

def start: economy = {rate = 0.03, market = 1, inflation = 0.02}

-- | A rate that returns to its mean, shares that follow no plan.
def year_of_economy (e: economy) (g: dist.t): (economy, dist.t) =
  let (a, g) = dist.normal 0 1 g
  let (b, g) = dist.normal 0 1 g
  let (c, g) = dist.normal 0 1 g
  let rate = f64.max 0 (e.rate + 0.3 * (0.03 - e.rate) + 0.01 * a)
  let market = e.market * f64.exp (e.rate + 0.03 - 0.02 + 0.2 * (0.9 * b - 0.3 * a))
  let inflation = e.inflation + 0.5 * (0.02 - e.inflation) + 0.005 * c + 0.1 * (rate - 0.03)
  in ({rate, market, inflation}, g)

def value (e: economy) (a: asset): f64 =
  match a
  case #bond {coupon, years} ->
    let v = 1 / (1 + e.rate)
    let (sum, last) = loop (sum, d) = (0, 1) for _i < years do (sum + coupon * d * v, d * v)
    in sum + last
  case #share {beta} -> 1 + beta * (e.market - 1)
  case #cash -> 1

type holding = {asset: asset, amount: f64}

def usual_holdings (total: f64): [4]holding =
  [ {asset = #bond {coupon = 0.03, years = 5}, amount = 0.4 * total}
  , {asset = #bond {coupon = 0.04, years = 10}, amount = 0.3 * total}
  , {asset = #share {beta = 0.8}, amount = 0.2 * total}
  , {asset = #cash, amount = 0.1 * total}
  ]

def worth [n] (e: economy) (hs: [n]holding): f64 = f64.sum (map (\h -> h.amount * value e h.asset) hs)

-- Life tables.

module life = {
  type policy = {age: i64, term: i64, sum: f64, smoker: bool}

  def survival (n: i64) (age: i64) (smoker: bool): [n]f64 =
    let ps = map (\t -> 1 - mortality (age + t) smoker) (iota n)
    let qs = scan (*) 1 ps
    in map (\t -> if t == 0 then 1 else qs[t - 1]) (iota n)

  def present (rate: f64) (p: policy): f64 =
    let alive = survival p.term p.age p.smoker
    in f64.sum (map2 (\t a -> a * mortality (p.age + t) p.smoker * p.sum / (1 + rate) ** f64.i64 (t + 1))
                     (iota p.term) alive)

  def annuity (rate: f64) (p: policy): f64 =
    f64.sum (map2 (\t a -> a / (1 + rate) ** f64.i64 t) (iota p.term) (survival p.term p.age p.smoker))

  def fair_premium (rate: f64) (p: policy): f64 = present rate p / annuity rate p

  -- | The reserve after each year, backwards from the end.
  def reserves (n: i64) (rate: f64) (p: policy): [n]f64 =
    let prem = fair_premium rate p
    let (out, _) =
      loop (out, v) = (replicate n 0, 0) for i < n do
        let t = n - 1 - i
        let q = mortality (p.age + t) p.smoker
        let v = (q * p.sum + (1 - q) * v) / (1 + rate) - prem
        in (out with [t] = v, v)
    in out
}

-- Reserves for claims that are not settled: the chain ladder.

module ladder = {
  def factors [n] (triangle: [n][n]f64): [n]f64 =
    tabulate n (\j ->
      if j == 0 then 1
      else
        let rows = map (\i -> if i + j < n then (triangle[i, j], triangle[i, j - 1]) else (0, 0)) (iota n)
        let (a, b) = unzip rows
        in if f64.sum b == 0 then 1 else f64.sum a / f64.sum b)

  def completed [n] (triangle: [n][n]f64): [n][n]f64 =
    let fs = factors triangle
    in map2 (\i row ->
               loop row = copy row for j in 1..<n do
                 if i + j < n then row else row with [j] = row[j - 1] * fs[j])
            (iota n) triangle

  def outstanding [n] (triangle: [n][n]f64): [n]f64 =
    map2 (\i row -> row[n - 1] - row[n - 1 - i]) (iota n) (completed triangle)

  def made_up (n: i64) (g: dist.t): [n][n]f64 =
    tabulate_2d n n (\i j ->
      let (x, _) = dist.lognormal 0 0.1 (weyl.split (i * n) g)
      in if i + j < n then 1000 * x * (1 - 0.5 ** f64.i64 (j + 1)) else 0)
}

-- A year.

type year = {
  gross: f64,
  net: f64,
  ceded: f64,
  investment: f64,
  result: f64,
  ruined: bool
}

def nothing_happened: year = {gross = 0, net = 0, ceded = 0, investment = 0, result = 0, ruined = false}

def claims_of [n] (seed: dist.t) (storms: storms) (contracts: [n]contract): [n](opt claim) =
  map2 (\i c -> (claim_of storms c (weyl.split i seed)).0) (iota n) contracts

def by_line [n] (claims: [n](opt claim)): [5]f64 =
  let amounts = map (\c -> opt.get 0 (opt.map claim_amount c)) claims
  let at = map (\c -> opt.get (-1) (opt.map claim_line c)) claims
  in reduce_by_index (replicate 5 0) (+) 0 at amounts

def inflate (e: economy) (amounts: [5]f64): [5]f64 =
  map2 (\line x -> if line == 3 then x * (1 + e.inflation) ** 3 else x * (1 + e.inflation)) (iota 5) amounts

def run_year [n][m] (capital: f64) (e: economy) (contracts: [n]contract) (holdings: [m]holding)
                    (seed: dist.t): (year, economy) =
  let (storms, g) = random_storms seed
  let (after, g) = year_of_economy e g
  let premiums = f64.sum (map premium contracts)
  let amounts = inflate after (by_line (claims_of g storms contracts))
  let gross = f64.sum amounts
  let treaty = usual_programme premiums
  let (net, ceded) = programme.cede treaty gross
  let investment = worth after holdings - worth e holdings
  let result = premiums - programme.price treaty premiums - net + investment - 0.25 * premiums
  in ({gross, net, ceded, investment, result, ruined = capital + result < 0}, after)

def random_contracts (n: i64) (g: dist.t): [n]contract =
  map (\i -> (random_contract (weyl.split i g)).0) (iota n)

-- | Several years in a row; a ruined insurer stops.
def run_years [n] (years: i64) (capital: f64) (contracts: [n]contract) (seed: dist.t): (f64, i64) =
  let (left, lasted, _, _) =
    loop (left, lasted, e, ruined) = (capital, 0, start, false) for i < years do
      if ruined then (left, lasted, e, ruined)
      else
        let (y, e) = run_year left e contracts (usual_holdings left) (weyl.split (1000 + i) seed)
        in (left + y.result, lasted + i64.bool (!y.ruined), e, y.ruined)
  in (left, lasted)

-- Entry points.

entry one_year (contracts: i64) (trials: i64) (seed: i64): (f64, f64, f64, f64, f64) =
  let g = weyl.seeded seed
  let cs = random_contracts contracts g
  let holdings = usual_holdings 1e6
  let results = map (\i -> (run_year 1e6 start cs holdings (weyl.split i g)).0.result) (iota trials)
  let s = stats.summary (map f64.neg results)
  in (s.mean, s.deviation, s.median, s.var, s.tvar)

entry ruin (contracts: i64) (trials: i64) (years: i64) (capital: f64) (seed: i64): (f64, [10]i64) =
  let g = weyl.seeded seed
  let cs = random_contracts contracts g
  let (left, lasted) = unzip (map (\i -> run_years years capital cs (weyl.split i g)) (iota trials))
  let ruined = filter (< years) lasted
  in (f64.i64 (length ruined) / f64.i64 trials, stats.histogram 10 0 (2 * capital) left)

-- | The least capital with which ruin is rare, by bisection.
entry required_capital (contracts: i64) (trials: i64) (seed: i64): f64 =
  let (lo, hi) =
    loop (lo, hi) = (0, 1e8) for _i < 20i32 do
      let mid = (lo + hi) / 2
      let (p, _) = ruin contracts trials 3 mid seed
      in if p > 0.05 then (mid, hi) else (lo, mid)
  in (lo + hi) / 2

entry price_list (seed: i64) (n: i64): ([5]f64, [5]i64, [5]f64) =
  let cs = random_contracts n (weyl.seeded seed)
  let at = map line_of cs
  in (reduce_by_index (replicate 5 0) (+) 0 at (map premium cs),
      reduce_by_index (replicate 5 0) (+) 0 at (replicate n 1),
      reduce_by_index (replicate 5 0) f64.max f64.lowest at (map insured cs))

entry life_reserves (age: i64) (n: i64) (rate: f64): [n]f64 =
  life.reserves n rate {age, term = n, sum = 1000, smoker = false}

entry chain_ladder [n] (triangle: [n][n]f64): ([n]f64, [n]f64) = (ladder.factors triangle, ladder.outstanding triangle)

-- What must hold.

def close (a: f64) (b: f64): bool = f64.abs (a - b) <= 1e-9 * (1 + f64.abs a + f64.abs b)

entry test_rng (seed: i64): bool =
  let g = weyl.seeded seed
  let xs = map (\i -> (dist.normal 2 3 (weyl.split i g)).0) (iota 2000)
  let ns = map (\i -> f64.i64 (dist.poisson 1.5 (weyl.split i g)).0) (iota 2000)
  let gs = map (\i -> (dist.gamma_of_integer 3 2 (weyl.split i g)).0) (iota 2000)
  in f64.abs (stats.mean xs - 2) < 0.3 && f64.abs (stats.mean ns - 1.5) < 0.15 && f64.abs (stats.mean gs - 6) < 0.5

entry test_stats (seed: i64): bool =
  let xs = map (\i -> f64.i64 ((i * 7 + seed) % 100)) (iota 100)
  let s = stats.summary xs
  in close s.mean 49.5 && close s.median 50 && close s.var 95 && close s.tvar 97
     && close (stats.correlation xs (map (\x -> 3 - x) xs)) (-1)
     && and (map (== 20) (stats.histogram 5 0 100 xs))

entry test_claims (seed: i64): bool =
  let g = weyl.seeded seed
  let cs = random_contracts 300 g
  let none = {coast = 0, city = 0, country = 0}
  let quiet = claims_of g none cs
  let stormy = claims_of g (none with coast = 0.4) cs
  let total = f64.sum (by_line quiet)
  in close total (f64.sum (map (\c -> opt.get 0 (opt.map claim_amount c)) quiet))
     && f64.sum (by_line stormy) >= total
     && all (\(c, k) -> match opt.map claim_amount k case #none -> true case #some x -> x <= 10 * insured c)
            (zip cs quiet)

entry test_treaties (seed: i64): bool =
  let t = usual_programme 1000
  let losses = map (\i -> f64.i64 (i * 37 + seed)) (iota 50)
  let fine loss =
    let (net, ceded) = programme.cede t loss
    in close (net + ceded) loss && net >= 0 && net <= 1200
  in all fine losses && first_treaty.cede #none 5 == (5, 0) && programme.price t 1000 > 0

entry test_markets (seed: i64): bool =
  let (e, _) = year_of_economy start (weyl.seeded seed)
  let bond: asset = #bond {coupon = 0.03, years = 7}
  in close (value start bond) 1
     && (e.rate > 0.03) == (value e bond < 1)
     && close (worth start [{asset = #cash, amount = 5}, {asset = #share {beta = 2}, amount = 2}]) 7

entry test_life (seed: i64): bool =
  let p: life.policy = {age = 40 + seed % 10, term = 20, sum = 1000, smoker = false}
  let r = life.reserves 20 0.03 p
  let smoker = p with smoker = true
  in f64.abs r[0] < 1e-6 && r[10] > 0 && life.fair_premium 0.03 smoker > life.fair_premium 0.03 p

entry test_reserves (seed: i64): bool =
  let t = ladder.made_up 6 (weyl.seeded seed)
  let rest = ladder.outstanding t
  in close rest[0] 0 && all (>= 0) rest && rest[5] > rest[1] && close (ladder.factors t)[1] 1.5

entry test_year (seed: i64): bool =
  let cs = random_contracts 100 (weyl.seeded seed)
  let (y, _) = run_year 1e6 start cs (usual_holdings 1e6) (weyl.split 3 (weyl.seeded seed))
  let (_, lasted) = run_years 4 1e9 cs (weyl.seeded seed)
  let (p, h) = ruin 50 20 3 0 seed
  in close y.gross (y.net + y.ceded) && lasted == 4 && p >= 0 && p <= 1 && i64.sum h == 20
     && nothing_happened.gross == 0

entry test_tower (seed: i64): bool =
  let (a, b, c) = price_list seed 200
  let (mean, deviation, median, var, tvar) = one_year 50 40 seed
  in f64.sum a > 0 && i64.sum b == 200 && all (> 0) c && deviation > 0 && mean <= tvar && median <= var && var <= tvar
