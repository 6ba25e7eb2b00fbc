-- | A collection of small numerical programs behind one set of entry
-- points: linear algebra, statistics, sorting, graphs, geometry, images,
-- signals, finance, neural networks, differential equations, text,
-- big numbers and an interpreter. Each part is a module of its own.

-- Things that several parts use.

type maybe 'a = #nothing | #just a

def from_maybe 'a (default: a) (m: maybe a): a =
  match m
  case #nothing -> default
  case #just x -> x

def map_maybe 'a 'b (f: a -> b) (m: maybe a): maybe b =
  match m
  case #nothing -> #nothing
  case #just x -> #just (f x)

def is_just 'a (m: maybe a): bool =
  match m
  case #just _ -> true
  case #nothing -> false

def argmin [n] 'a (less: a -> a -> bool) (highest: a) (xs: [n]a): i64 =
  let better (i, x) (j, y) =
    if less x y then (i, x)
    else if less y x then (j, y)
    else (i64.min i j, x)
  in (reduce_comm better (i64.highest, highest) (zip (iota n) xs)).0

def exclusive_scan [n] 'a (op: a -> a -> a) (ne: a) (xs: [n]a): [n]a =
  map2 (\i x -> if i == 0 then ne else x) (iota n) (rotate (-1) (scan op ne xs))

-- | Scan that starts anew where a flag is set.
def segmented_scan [n] 'a (op: a -> a -> a) (ne: a) (flags: [n]bool) (xs: [n]a): [n]a =
  let combine (f, x) (g, y) = (f || g, if g then y else op x y)
  in map (.1) (scan combine (false, ne) (zip flags xs))

-- | Every element as often as `count` says.
def expand 'a 'b [n] (count: a -> i64) (get: a -> i64 -> b) (xs: [n]a): []b =
  let counts = map count xs
  let starts = exclusive_scan (+) 0 counts
  let total = i64.sum counts
  let place i c = if c > 0 then i else -1
  let owners = scatter (replicate total 0) (map2 place starts counts) (iota n)
  let owners = scan i64.max i64.lowest owners
  in map2 (\owner i -> get xs[owner] (i - starts[owner])) owners (iota total)

-- Random numbers.

module type generator = {
  type state
  val from_seed: i64 -> state
  val draw: state -> (u64, state)
  val fork: (n: i64) -> state -> [n]state
}

module splitmix: generator = {
  type state = {counter: u64, step: u64}

  def mix (z: u64): u64 =
    let z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
    let z = (z ^ (z >> 27)) * 0x94d049bb133111eb
    in z ^ (z >> 31)

  def from_seed (seed: i64): state =
    {counter = mix (u64.i64 seed), step = 0x9e3779b97f4a7c15}

  def draw (s: state): (u64, state) =
    let counter = s.counter + s.step
    in (mix counter, s with counter = counter)

  def fork (n: i64) (s: state): [n]state =
    tabulate n (\i -> {counter = mix (s.counter ^ u64.i64 (i + 1)), step = mix (u64.i64 i) | 1})
}

module sampling (g: generator) = {
  def uniform (low: f64) (high: f64) (s: g.state): (f64, g.state) =
    let (x, s) = g.draw s
    in (low + (high - low) * (f64.u64 (x >> 11) / 9007199254740992.0), s)

  def below (n: i64) (s: g.state): (i64, g.state) =
    let (x, s) = g.draw s
    in (i64.u64 (x % u64.i64 n), s)

  def normal (s: g.state): (f64, g.state) =
    let (u, s) = uniform 1e-15 1 s
    let (v, s) = uniform 0 1 s
    in (f64.sqrt (-2 * f64.log u) * f64.sin (2 * f64.pi * v), s)

  def exponential (rate: f64) (s: g.state): (f64, g.state) =
    let (u, s) = uniform 1e-15 1 s
    in (-(f64.log u) / rate, s)

  -- | A random order of `0..<n`, by swapping from the end.
  def permutation (n: i64) (s: g.state): ([n]i64, g.state) =
    loop (order, s) = (iota n, s) for k < n - 1 do
      let i = n - 1 - k
      let (j, s) = below (i + 1) s
      let a = order[i]
      let b = order[j]
      let order = order with [i] = b
      in (order with [j] = a, s)

  def many 'a (n: i64) (sample: g.state -> (a, g.state)) (s: g.state): [n]a =
    map (\s -> (sample s).0) (g.fork n s)
}

module sample = sampling splitmix

-- Linear algebra over any field.

module type field = {
  type t
  val zero: t
  val one: t
  val add: t -> t -> t
  val sub: t -> t -> t
  val mul: t -> t -> t
  val div: t -> t -> t
  val magnitude: t -> f64
}

module real_field: field with t = f64 = {
  type t = f64
  def zero = 0f64
  def one = 1f64
  def add = (f64.+)
  def sub = (f64.-)
  def mul = (f64.*)
  def div = (f64./)
  def magnitude = f64.abs
}

module complex_field = {
  type t = (f64, f64)
  def zero: t = (0, 0)
  def one: t = (1, 0)
  def add ((a, b): t) ((c, d): t): t = (a + c, b + d)
  def sub ((a, b): t) ((c, d): t): t = (a - c, b - d)
  def mul ((a, b): t) ((c, d): t): t = (a * c - b * d, a * d + b * c)
  def div ((a, b): t) ((c, d): t): t =
    let n = c * c + d * d
    in ((a * c + b * d) / n, (b * c - a * d) / n)
  def magnitude ((a, b): t): f64 = f64.sqrt (a * a + b * b)
  def conjugate ((a, b): t): t = (a, -b)
  def polar (r: f64) (phi: f64): t = (r * f64.cos phi, r * f64.sin phi)
}

-- | Whole numbers modulo a prime.
module prime_field (p: {val modulus: i64}) = {
  type t = i64
  def zero = 0i64
  def one = 1i64
  def add (a: t) (b: t): t = (a + b) % p.modulus
  def sub (a: t) (b: t): t = (a - b + p.modulus) % p.modulus
  def mul (a: t) (b: t): t = a * b % p.modulus
  def power (a: t) (n: i64): t =
    (loop (result, a, n) = (1, a, n) while n > 0 do
       let result = if n & 1 == 1 then mul result a else result
       in (result, mul a a, n >> 1)).0
  def div (a: t) (b: t): t = mul a (power b (p.modulus - 2))
  def magnitude (a: t): f64 = f64.i64 a
}

module linear_algebra (f: field) = {
  type vector [n] = [n]f.t
  type matrix [n][m] = [n][m]f.t

  def sum [n] (xs: vector [n]): f.t = reduce f.add f.zero xs

  def dot [n] (xs: vector [n]) (ys: vector [n]): f.t = sum (map2 f.mul xs ys)

  def scale [n] (k: f.t) (xs: vector [n]): vector [n] = map (f.mul k) xs

  def axpy [n] (k: f.t) (xs: vector [n]) (ys: vector [n]): vector [n] =
    map2 (\x y -> f.add (f.mul k x) y) xs ys

  def outer [n][m] (xs: vector [n]) (ys: vector [m]): matrix [n][m] =
    map (\x -> map (f.mul x) ys) xs

  def identity (n: i64): matrix [n][n] =
    tabulate_2d n n (\i j -> if i == j then f.one else f.zero)

  def matvec [n][m] (a: matrix [n][m]) (x: vector [m]): vector [n] = map (dot x) a

  def matmul [n][m][p] (a: matrix [n][m]) (b: matrix [m][p]): matrix [n][p] =
    map (\row -> map (dot row) (transpose b)) a

  def trace [n] (a: matrix [n][n]): f.t = sum (map (\i -> a[i, i]) (iota n))

  -- | Kronecker's product.
  def kronecker [n][m][p][q] (a: matrix [n][m]) (b: matrix [p][q]): matrix [n * p][m * q] =
    let blocks = map (map (\x -> map (map (f.mul x)) b)) a
    in flatten (map (\row -> map flatten (transpose row)) blocks)

  def swap_rows [n][m] (i: i64) (j: i64) (a: *matrix [n][m]): *matrix [n][m] =
    let upper = copy a[i]
    let lower = copy a[j]
    let a = a with [i] = lower
    in a with [j] = upper

  -- | Gauss and Jordan: the reduced form, and the determinant of a square
  -- matrix in the first columns.
  def eliminate [n][m] (a: *matrix [n][m]): (matrix [n][m], f.t) =
    loop (a: *matrix [n][m], determinant) = (a, f.one) for k < i64.min n m do
      let column = map (\i -> if i < k then -1 else f.magnitude a[i, k]) (iota n)
      let pivot = argmin (>) f64.lowest column
      let determinant = if pivot == k then determinant else f.sub f.zero determinant
      let a = swap_rows k pivot a
      let p = copy a[k, k]
      in if f.magnitude p == 0
         then (a, f.zero)
         else let row = map (\x -> f.div x p) a[k]
              let clear i (r: [m]f.t) =
                let factor = r[k]
                in if i == k then row else map2 (\x y -> f.sub x (f.mul factor y)) r row
              in (map2 clear (iota n) a, f.mul determinant p)

  def determinant [n] (a: matrix [n][n]): f.t = (eliminate (copy a)).1

  def inverse [n] (a: matrix [n][n]): maybe (matrix [n][n]) =
    let joined = map2 (++) a (identity n)
    let (reduced, d) = eliminate joined
    in if f.magnitude d == 0
       then #nothing
       else #just (map (\row -> sized n (drop n row)) reduced)

  def solve [n] (a: matrix [n][n]) (b: vector [n]): maybe (vector [n]) =
    map_maybe (\inverted -> matvec inverted b) (inverse a)
}

module real_algebra = linear_algebra real_field
module complex_algebra = linear_algebra complex_field
module modular_algebra = linear_algebra (prime_field {def modulus = 1000003i64})

-- What needs real numbers.
module decompositions = {
  open real_algebra

  def norm [n] (xs: [n]f64): f64 = f64.sqrt (dot xs xs)

  -- | The Cholesky factor of a symmetric, positive definite matrix.
  def cholesky [n] (a: [n][n]f64): [n][n]f64 =
    loop l = replicate n (replicate n 0f64) for j < n do
      let below = l[j, :j]
      let diagonal = f64.sqrt (a[j, j] - f64.sum (map (** 2) below))
      let entry_of i =
        if i < j then 0
        else if i == j then diagonal
        else (a[i, j] - f64.sum (map2 (*) l[i, :j] l[j, :j])) / diagonal
      let column = map entry_of (iota n)
      in l with [:, j] = column

  -- | Gram and Schmidt, in the numerically better order.
  def qr [n][m] (a: [n][m]f64): ([n][m]f64, [m][m]f64) =
    let (q, r) =
      loop (q, r) = (transpose a, replicate m (replicate m 0)) for i < m do
        let length = norm q[i]
        let unit = map (/ length) q[i]
        let factors = map (\j -> if j <= i then 0 else dot unit q[j]) (iota m)
        let q' = map3 (\j f row -> if j == i then unit
                                   else if j < i then row
                                   else axpy (-f) unit row)
                      (iota m) factors q
        let row = map2 (\j f -> if j == i then length else f) (iota m) factors
        in (q', r with [i] = row)
    in (transpose q, r)

  -- | The largest eigenvalue and its vector.
  def power_iteration [n] (rounds: i32) (a: [n][n]f64): (f64, [n]f64) =
    let start = replicate n (1 / f64.sqrt (f64.i64 n))
    in loop (_value, v) = (0, start) for _i < rounds do
         let w = matvec a v
         let length = norm w
         in (dot v w, map (/ length) w)

  def conjugate_gradient [n] (tolerance: f64) (a: [n][n]f64) (b: [n]f64): ([n]f64, i32) =
    let (x, _, _, _, steps) =
      loop (x: [n]f64, r: [n]f64, p: [n]f64, rr, steps) = (replicate n 0, b, b, dot b b, 0i32)
      while rr > tolerance * tolerance && steps < i32.i64 (10 * n) do
        let ap = matvec a p
        let alpha = rr / dot p ap
        let x = axpy alpha p x
        let r = axpy (-alpha) ap r
        let rr' = dot r r
        in (x, r, axpy (rr' / rr) p r, rr', steps + 1)
    in (x, steps)
}

entry solve_system [n] (a: [n][n]f64) (b: [n]f64): ([n]f64, bool) =
  let solution = real_algebra.solve a b
  in (from_maybe (replicate n f64.nan) solution, is_just solution)

entry modular_determinant [n] (a: [n][n]i64): i64 =
  modular_algebra.determinant (map (map (% 1000003)) a)

entry dominant_eigenvalue [n] (a: [n][n]f64): f64 =
  let (q, r) = decompositions.qr a
  let again = real_algebra.matmul q r
  in (decompositions.power_iteration 100 again).0

entry cg_steps [n] (a: [n][n]f64) (b: [n]f64): i32 =
  let spd = real_algebra.matmul a (transpose a)
  let l = decompositions.cholesky spd
  in (decompositions.conjugate_gradient 1e-9 (real_algebra.matmul l (transpose l)) b).1

-- Statistics.

module statistics = {
  type summary = {count: i64, mean: f64, variance: f64, smallest: f64, largest: f64}

  -- | Combine summaries of disjoint samples, so that one pass is enough.
  def combine (a: summary) (b: summary): summary =
    if a.count == 0 then b
    else if b.count == 0 then a
    else let count = a.count + b.count
         let (na, nb, n) = (f64.i64 a.count, f64.i64 b.count, f64.i64 count)
         let delta = b.mean - a.mean
         in { count
            , mean = a.mean + delta * nb / n
            , variance = (a.variance * na + b.variance * nb + delta * delta * na * nb / n) / n
            , smallest = f64.min a.smallest b.smallest
            , largest = f64.max a.largest b.largest
            }

  def empty: summary = {count = 0, mean = 0, variance = 0, smallest = f64.inf, largest = -f64.inf}

  def summarise [n] (xs: [n]f64): summary =
    let single x: summary = {count = 1, mean = x, variance = 0, smallest = x, largest = x}
    in reduce combine empty (map single xs)

  def covariance [n] (xs: [n]f64) (ys: [n]f64): f64 =
    let mx = f64.sum xs / f64.i64 n
    let my = f64.sum ys / f64.i64 n
    in f64.sum (map2 (\x y -> (x - mx) * (y - my)) xs ys) / f64.i64 n

  def correlation [n] (xs: [n]f64) (ys: [n]f64): f64 =
    let sd zs = f64.sqrt (covariance zs zs)
    in covariance xs ys / (sd xs * sd ys)

  -- | The straight line through points with the least squares.
  def regression [n] (points: [n](f64, f64)): {slope: f64, intercept: f64} =
    let (xs, ys) = unzip points
    let slope = covariance xs ys / covariance xs xs
    let mean zs = f64.sum zs / f64.i64 n
    in {slope, intercept = mean ys - slope * mean xs}

  -- | A polynomial of a degree through points, by the normal equations.
  def fit_polynomial [n] (degree: i64) (xs: [n]f64) (ys: [n]f64): maybe ([degree + 1]f64) =
    let powers = map (\x -> tabulate (degree + 1) (\i -> x ** f64.i64 i)) xs
    let square = real_algebra.matmul (transpose powers) powers
    in real_algebra.solve square (real_algebra.matvec (transpose powers) ys)

  def evaluate [k] (coefficients: [k]f64) (x: f64): f64 =
    foldr (\c acc -> c + x * acc) 0 coefficients

  def histogram [n] (bins: i64) (low: f64) (high: f64) (xs: [n]f64): [bins]i64 =
    let bin x = i64.f64 ((x - low) / (high - low) * f64.i64 bins)
    in hist (+) 0 bins (map bin xs) (replicate n 1)

  def moving_average [n] (window: i64) (xs: [n]f64): [n - window + 1]f64 =
    let sums = [0] ++ scan (+) 0 xs
    in tabulate (n - window + 1) (\i -> (sums[i + window] - sums[i]) / f64.i64 window)

  -- | The mean of a statistic over samples drawn with replacement, and its error.
  def bootstrap [n] (rounds: i64) (statistic: [n]f64 -> f64) (xs: [n]f64) (seed: i64): (f64, f64) =
    let resample s =
      let picks = sample.many n (sample.below n) s
      in statistic (map (\i -> xs[i]) picks)
    let results = map resample (splitmix.fork rounds (splitmix.from_seed seed))
    let s = summarise results
    in (s.mean, f64.sqrt s.variance)
}

entry sample_summary (n: i64) (seed: i64): (f64, f64, f64, f64) =
  let s = statistics.summarise (sample.many n sample.normal (splitmix.from_seed seed))
  in (s.mean, s.variance, s.smallest, s.largest)

entry polynomial_error [n] (degree: i64) (xs: [n]f64) (ys: [n]f64): f64 =
  match statistics.fit_polynomial degree xs ys
  case #nothing -> f64.inf
  case #just coefficients ->
    f64.maximum (map2 (\x y -> f64.abs (statistics.evaluate coefficients x - y)) xs ys)

entry bootstrap_median [n] (xs: [n]f64): (f64, f64) =
  statistics.bootstrap 100 (\ys -> f64.sum ys / f64.i64 (length ys)) xs 7

entry smoothed [n] (xs: [n]f64): []f64 = statistics.moving_average 5 xs

-- Sorting and searching.

module type ordered = {
  type t
  val <=: t -> t -> bool
}

module sorting (o: ordered) = {
  -- | The next power of two.
  def padded (n: i64): i64 = loop k = 1 while k < n do 2 * k

  -- | Batcher's sorting network. What fills up to a power of two comes last.
  def sort [n] (xs: [n]o.t): *[n]o.t =
    if n <= 1 then copy xs
    else let size = padded n
         let filled = tabulate size (\i -> if i < n then (false, xs[i]) else (true, xs[0]))
         let before (p, a) (q, b) = if p == q then a o.<= b else q
         let exchange (size: i64) (a: [size](bool, o.t)) (stride: i64) (block: i64) =
           tabulate size (\i ->
             let j = i ^ stride
             let up = i & block == 0
             let (x, y) = (a[i], a[j])
             in if (i < j) == up
                then if before x y then x else y
                else if before x y then y else x)
         let sorted =
           (loop (a, block) = (filled, 2) while block <= size do
              let a =
                (loop (a, stride) = (a, block / 2) while stride > 0 do
                   (exchange size a stride block, stride / 2)).0
              in (a, block * 2)).0
         in map (.1) (take n sorted)

  -- | Where `x` would have to be inserted.
  def lower_bound [n] (xs: [n]o.t) (x: o.t): i64 =
    (loop (low, high) = (0, n) while low < high do
       let middle = low + (high - low) / 2
       in if x o.<= xs[middle] then (low, middle) else (middle + 1, high)).0

  def merge [n][m] (xs: [n]o.t) (ys: [m]o.t): [n + m]o.t =
    let xs_places = map2 (\i x -> i + lower_bound ys x) (iota n) xs
    let after x = (loop (low, high) = (0, n) while low < high do
                     let middle = low + (high - low) / 2
                     in if xs[middle] o.<= x then (middle + 1, high) else (low, middle)).0
    let ys_places = map2 (\j y -> j + after y) (iota m) ys
    in scatter (xs ++ ys) (xs_places ++ ys_places) (xs ++ ys)

  def is_sorted [n] (xs: [n]o.t): bool =
    all (\i -> i == 0 || xs[i - 1] o.<= xs[i]) (iota n)
}

module sort_f64 = sorting {
  type t = f64
  def (<=) = (f64.<=)
}

module sort_pairs = sorting {
  type t = (i64, i64)
  def (a: t) <= (b: t) = a.0 < b.0 || (a.0 == b.0 && a.1 i64.<= b.1)
}

-- | Counting by equal neighbours of a sorted array.
def run_lengths [n] (xs: [n]i64): [](i64, i64) =
  let sorted = sort_pairs.sort (zip xs (iota n))
  let firsts = map (\i -> i == 0 || sorted[i].0 != sorted[i - 1].0) (iota n)
  let ranks = map (\r -> r - 1) (scan (+) 0 (map i64.bool firsts))
  let groups = i64.sum (map i64.bool firsts)
  let counts = hist (+) 0 groups ranks (replicate n 1)
  let values = scatter (replicate groups 0) ranks (map (.0) sorted)
  in zip values counts

def quick_select [n] (k: i64) (xs: [n]f64): f64 =
  let (candidates, k) =
    loop (candidates, k) = (xs, k) while length candidates > 1 do
      let pivot = candidates[length candidates / 2]
      let smaller = filter (< pivot) candidates
      let larger = filter (> pivot) candidates
      let equal = length candidates - length smaller - length larger
      in if k < length smaller then (smaller, k)
         else if k < length smaller + equal then ([pivot], 0)
         else (larger, k - length smaller - equal)
  in candidates[k]

entry sort_and_check [n] (xs: [n]f64): ([n]f64, bool) =
  let sorted = sort_f64.sort xs
  in (sorted, sort_f64.is_sorted sorted)

entry merged [n][m] (xs: [n]f64) (ys: [m]f64): []f64 =
  sort_f64.merge (sort_f64.sort xs) (sort_f64.sort ys)

entry median [n] (xs: [n]f64): f64 = quick_select (n / 2) xs

entry most_frequent [n] (xs: [n]i64): i64 =
  let runs = run_lengths xs
  in runs[argmin (>) i64.lowest (map (.1) runs)].0

-- Graphs in compressed rows.

module graphs = {
  type graph [n][m] = {starts: [n]i64, degrees: [n]i64, targets: [m]i64, weights: [m]f64}

  def from_edges [m] (n: i64) (edges: [m](i64, i64, f64)): graph [n][m] =
    let degrees = hist (+) 0 n (map (.0) edges) (replicate m 1)
    let starts = exclusive_scan (+) 0 degrees
    let order = sort_pairs.sort (map2 (\(from, _, _) i -> (from, i)) edges (iota m))
    let sorted = map (\(_, i) -> edges[i]) order
    in {starts, degrees, targets = map (.1) sorted, weights = map (.2) sorted}

  def out_edges [n][m] (g: graph [n][m]) (v: i64): [](i64, f64) =
    let range = g.starts[v]..<g.starts[v] + g.degrees[v]
    in map (\e -> (g.targets[e], g.weights[e])) range

  -- | How many steps every vertex is away, or -1.
  def breadth_first [n][m] (g: graph [n][m]) (source: i64): [n]i32 =
    let start = replicate n (-1) with [source] = 0
    let (levels, _, _) =
      loop (levels: *[n]i32, frontier, level) = (start, [source], 1i32) while length frontier > 0 do
        let reached = expand (\v -> g.degrees[v]) (\v i -> g.targets[g.starts[v] + i]) frontier
        let fresh = filter (\v -> levels[v] < 0) reached
        -- Keep one of each.
        let owner = scatter (replicate n (-1)) fresh (indices fresh)
        let frontier = map (.0) (filter (\(v, i) -> owner[v] == i) (zip fresh (indices fresh)))
        let levels = scatter levels frontier (map (const level) frontier)
        in (levels, frontier, level + 1)
    in levels

  -- | Bellman and Ford: all edges at once, until nothing changes.
  def shortest_paths [n][m] (g: graph [n][m]) (source: i64): [n]f64 =
    let sources = expand (\v -> g.degrees[v]) (\v _ -> v) (iota n)
    let sources = sized m sources
    let start = tabulate n (\v -> if v == source then 0 else f64.inf)
    let (distances, _, _) =
      loop (distances, changed, round) = (start, true, 0) while changed && round < n do
        let offers = map2 (\v w -> distances[v] + w) sources g.weights
        let better = reduce_by_index (copy distances) f64.min f64.inf g.targets offers
        in (better, or (map2 (<) better distances), round + 1)
    in distances

  def page_rank [n][m] (damping: f64) (rounds: i32) (g: graph [n][m]): [n]f64 =
    let sources = sized m (expand (\v -> g.degrees[v]) (\v _ -> v) (iota n))
    let base = (1 - damping) / f64.i64 n
    in loop ranks = replicate n (1 / f64.i64 n) for _i < rounds do
         let shares = map2 (\r d -> if d == 0 then 0 else r / f64.i64 d) ranks g.degrees
         let lost = f64.sum (map2 (\r d -> if d == 0 then r else 0) ranks g.degrees)
         let received = hist (+) 0 n g.targets (map (\v -> shares[v]) sources)
         in map (\x -> base + damping * (x + lost / f64.i64 n)) received

  -- | Labels that are equal within a component, by hooking and jumping.
  def components [n][m] (edges: [m](i64, i64)): [n]i64 =
    let (labels, _) =
      loop (labels, going) = (iota n, true) while going do
        let (from, to) = unzip (map (\(a, b) -> (i64.max labels[a] labels[b], i64.min labels[a] labels[b])) edges)
        let hooked = reduce_by_index (copy labels) i64.min i64.highest from to
        let jumped = map (\l -> hooked[l]) hooked
        in (jumped, or (map2 (!=) jumped labels))
    in labels
}

entry hops [m] (n: i64) (from: [m]i64) (to: [m]i64): [n]i32 =
  graphs.breadth_first (graphs.from_edges n (map2 (\a b -> (a, b, 1)) from to)) 0

entry distances [m] (n: i64) (from: [m]i64) (to: [m]i64) (lengths: [m]f64): [n]f64 =
  graphs.shortest_paths (graphs.from_edges n (zip3 from to lengths)) 0

entry ranks [m] (n: i64) (from: [m]i64) (to: [m]i64): [n]f64 =
  graphs.page_rank 0.85 20 (graphs.from_edges n (map2 (\a b -> (a, b, 1)) from to))

entry component_count [m] (n: i64) (from: [m]i64) (to: [m]i64): i64 =
  let labels: [n]i64 = graphs.components (zip from to)
  in i64.sum (map2 (\i l -> i64.bool (i == l)) (iota n) labels)

-- Geometry: a ray tracer for spheres, planes and boxes.

module ray_tracer = {
  type v3 = {x: f32, y: f32, z: f32}
  type ray = {origin: v3, direction: v3}

  def v3 x y z: v3 = {x, y, z}
  def (a: v3) |+| (b: v3): v3 = v3 (a.x + b.x) (a.y + b.y) (a.z + b.z)
  def (a: v3) |-| (b: v3): v3 = v3 (a.x - b.x) (a.y - b.y) (a.z - b.z)
  def (k: f32) |*| (a: v3): v3 = v3 (k * a.x) (k * a.y) (k * a.z)
  def dot (a: v3) (b: v3): f32 = a.x * b.x + a.y * b.y + a.z * b.z
  def cross (a: v3) (b: v3): v3 =
    v3 (a.y * b.z - a.z * b.y) (a.z * b.x - a.x * b.z) (a.x * b.y - a.y * b.x)
  def unit (a: v3): v3 = (1 / f32.sqrt (dot a a)) |*| a

  type shape =
      #sphere {centre: v3, radius: f32}
    | #plane {normal: v3, offset: f32}
    | #box {low: v3, high: v3}

  type material = #matte v3 | #mirror f32 | #lamp v3

  type object = {shape: shape, material: material}

  type hit = {distance: f32, normal: v3, material: material}

  def at (r: ray) (t: f32): v3 = r.origin |+| (t |*| r.direction)

  def epsilon: f32 = 1e-3

  def intersect_sphere (centre: v3) (radius: f32) (r: ray): maybe (f32, v3) =
    let oc = r.origin |-| centre
    let b = dot oc r.direction
    let c = dot oc oc - radius * radius
    let d = b * b - c
    in if d < 0 then #nothing
       else let near = -b - f32.sqrt d
            let far = -b + f32.sqrt d
            let t = if near > epsilon then near else far
            in if t > epsilon
               then #just (t, (1 / radius) |*| (at r t |-| centre))
               else #nothing

  def intersect_plane (normal: v3) (offset: f32) (r: ray): maybe (f32, v3) =
    let slope = dot normal r.direction
    let t = (offset - dot normal r.origin) / slope
    in if f32.abs slope < 1e-6 || t <= epsilon then #nothing else #just (t, normal)

  def intersect_box (low: v3) (high: v3) (r: ray): maybe (f32, v3) =
    let slab l h o d =
      let (a, b) = ((l - o) / d, (h - o) / d)
      in (f32.min a b, f32.max a b)
    let (x0, x1) = slab low.x high.x r.origin.x r.direction.x
    let (y0, y1) = slab low.y high.y r.origin.y r.direction.y
    let (z0, z1) = slab low.z high.z r.origin.z r.direction.z
    let enter = f32.max x0 (f32.max y0 z0)
    let leave = f32.min x1 (f32.min y1 z1)
    let normal =
      if enter == x0 then v3 (-f32.sgn r.direction.x) 0 0
      else if enter == y0 then v3 0 (-f32.sgn r.direction.y) 0
      else v3 0 0 (-f32.sgn r.direction.z)
    in if enter > leave || enter <= epsilon then #nothing else #just (enter, normal)

  def intersect (r: ray) (o: object): maybe hit =
    let found =
      match o.shape
      case #sphere {centre, radius} -> intersect_sphere centre radius r
      case #plane {normal, offset} -> intersect_plane normal offset r
      case #box b -> intersect_box b.low b.high r
    in map_maybe (\(distance, normal) -> {distance, normal, material = o.material}) found

  def nearest [n] (objects: [n]object) (r: ray): maybe hit =
    let closer (a: maybe hit) (b: maybe hit): maybe hit =
      match (a, b)
      case (#nothing, _) -> b
      case (_, #nothing) -> a
      case (#just h, #just i) -> if h.distance <= i.distance then a else b
    in reduce_comm closer #nothing (map (intersect r) objects)

  def sky (direction: v3): v3 =
    let t = 0.5 * (direction.y + 1)
    in ((1 - t) |*| v3 1 1 1) |+| (t |*| v3 0.5 0.7 1)

  def reflect (d: v3) (n: v3): v3 = d |-| ((2 * dot d n) |*| n)

  -- | Follow a ray from mirror to mirror. Light falls from above.
  def trace [n] (objects: [n]object) (bounces: i32) (start: ray): v3 =
    let sun = unit (v3 1 2 (-1))
    let (colour, _, _, _) =
      loop (colour, weight, r, left) = (v3 0 0 0, 1f32, start, bounces) while left > 0 do
        match nearest objects r
        case #nothing -> (colour |+| (weight |*| sky r.direction), 0, r, 0)
        case #just h ->
          let place = at r h.distance
          in match h.material
             case #lamp c -> (colour |+| (weight |*| c), 0, r, 0)
             case #mirror loss ->
               let onwards = {origin = place, direction = reflect r.direction h.normal}
               in (colour, weight * (1 - loss), onwards, left - 1)
             case #matte c ->
               let lit = if is_just (nearest objects {origin = place, direction = sun}) then 0.2 else 1
               let shade = lit * f32.max 0.1 (dot h.normal sun)
               in (colour |+| ((weight * shade) |*| c), 0, r, 0)
    in colour

  def render [n] (height: i64) (width: i64) (objects: [n]object): [height][width]v3 =
    let origin = v3 0 1 (-4)
    let forward = unit (v3 0 0 0 |-| origin)
    let right = unit (cross (v3 0 1 0) forward)
    let up = cross forward right
    let pixel i j =
      let y = 1 - 2 * (f32.i64 i + 0.5) / f32.i64 height
      let x = (2 * (f32.i64 j + 0.5) / f32.i64 width - 1) * f32.i64 width / f32.i64 height
      let direction = unit (forward |+| ((x |*| right) |+| (y |*| up)))
      in trace objects 8 {origin, direction}
    in tabulate_2d height width pixel

  def to_rgb (c: v3): u32 =
    let channel f = u32.f32 (255 * f32.min 1 (f32.max 0 f))
    in (channel c.x << 16) | (channel c.y << 8) | channel c.z
}

entry render_scene (height: i64) (width: i64) (spheres: i64): [height][width]u32 =
  let ball (i: i64): ray_tracer.object =
    let angle = 2 * f32.pi * f32.i64 i / f32.i64 spheres
    let centre = ray_tracer.v3 (2 * f32.cos angle) (0.3 * f32.sin (3 * angle)) (2 * f32.sin angle)
    in { shape = #sphere {centre, radius = 0.4}
       , material = if i % 3 == 0 then #mirror 0.1 else #matte (ray_tracer.v3 0.8 0.3 (f32.i64 i / 10))
       }
  let fixed: [3]ray_tracer.object =
    [ {shape = #plane {normal = ray_tracer.v3 0 1 0, offset = -1}, material = #matte (ray_tracer.v3 0.4 0.6 0.4)}
    , {shape = #box {low = ray_tracer.v3 (-0.5) (-1) (-0.5), high = ray_tracer.v3 0.5 0 0.5}, material = #mirror 0.3}
    , {shape = #sphere {centre = ray_tracer.v3 0 4 0, radius = 0.5}, material = #lamp (ray_tracer.v3 1 1 0.8)}
    ]
  let picture = ray_tracer.render height width (map ball (iota spheres) ++ fixed)
  in map (map ray_tracer.to_rgb) picture

-- Images.

module images = {
  type image [h][w] = [h][w]f32

  type border = #clamp | #wrap | #constant f32

  def pixel [h][w] (b: border) (img: image [h][w]) (i: i64) (j: i64): f32 =
    match b
    case #clamp -> img[i64.max 0 (i64.min (h - 1) i), i64.max 0 (i64.min (w - 1) j)]
    case #wrap -> img[(i % h + h) % h, (j % w + w) % w]
    case #constant c -> if i >= 0 && i < h && j >= 0 && j < w then img[i, j] else c

  def stencil 'a [h][w] (b: border) (f: (i64 -> i64 -> f32) -> a) (img: image [h][w]): [h][w]a =
    tabulate_2d h w (\i j -> f (\di dj -> pixel b img (i + di) (j + dj)))

  def convolve [h][w][k] (b: border) (kernel: [k][k]f32) (img: image [h][w]): image [h][w] =
    let r = k / 2
    let weighted at =
      f32.sum (map (\di -> f32.sum (map (\dj -> kernel[di, dj] * at (di - r) (dj - r)) (iota k))) (iota k))
    in stencil b (\at -> weighted at) img

  def gaussian (sigma: f32) (k: i64): [k][k]f32 =
    let weight d = f32.exp (-(f32.i64 (d - k / 2) ** 2) / (2 * sigma * sigma))
    let raw = tabulate_2d k k (\i j -> weight i * weight j)
    let total = f32.sum (flatten raw)
    in map (map (/ total)) raw

  def sobel [h][w] (img: image [h][w]): image [h][w] =
    let edge at =
      let gx = at (-1) 1 + 2 * at 0 1 + at 1 1 - at (-1) (-1) - 2 * at 0 (-1) - at 1 (-1)
      let gy = at 1 (-1) + 2 * at 1 0 + at 1 1 - at (-1) (-1) - 2 * at (-1) 0 - at (-1) 1
      in f32.sqrt (gx * gx + gy * gy)
    in stencil #clamp (\at -> edge at) img

  -- | The middle of nine, by a network of comparisons.
  def median_filter [h][w] (img: image [h][w]): image [h][w] =
    let middle at =
      let values = [at (-1) (-1), at (-1) 0, at (-1) 1, at 0 (-1), at 0 0, at 0 1, at 1 (-1), at 1 0, at 1 1]
      let sorted =
        loop values for i < 9 do
          loop values for j in (i % 2)..(i % 2 + 2)..<8 do
            let (a, b) = (values[j], values[j + 1])
            let values = values with [j] = f32.min a b
            in values with [j + 1] = f32.max a b
      in sorted[4]
    in stencil #clamp (\at -> middle at) img

  -- | Spread the brightness evenly.
  def equalise [h][w] (levels: i64) (img: image [h][w]): image [h][w] =
    let level p = i64.max 0 (i64.min (levels - 1) (i64.f32 (p * f32.i64 levels)))
    let pixels = flatten img
    let counts = hist (+) 0 levels (map level pixels) (map (const 1i64) pixels)
    let cumulated = scan (+) 0 counts
    in map (map (\p -> f32.i64 cumulated[level p] / f32.i64 (h * w))) img

  def downsample [h][w] (img: image [h * 2][w * 2]): image [h][w] =
    tabulate_2d h w (\i j ->
      (img[2 * i, 2 * j] + img[2 * i, 2 * j + 1] + img[2 * i + 1, 2 * j] + img[2 * i + 1, 2 * j + 1]) / 4)

  def integral [h][w] (img: image [h][w]): image [h][w] =
    map (scan (+) 0) img |> transpose |> map (scan (+) 0) |> transpose
}

entry edges [h][w] (img: [h][w]f32): [h][w]f32 =
  img |> images.median_filter |> images.convolve #clamp (images.gaussian 1.5 5) |> images.sobel

entry equalised [h][w] (img: [h][w]f32): [h][w]f32 = images.equalise 256 img

entry thumbnail [h][w] (img: [h][w]f32): [][]f32 =
  let (hh, ww) = (h / 4, w / 4)
  let even = img[:hh * 4, :ww * 4] :> [hh * 2 * 2][ww * 2 * 2]f32
  let half: [hh * 2][ww * 2]f32 = images.downsample even
  in images.integral (images.downsample half)

-- Signals.

module signals = {
  module c = complex_field

  -- | The fast Fourier transform of a power of two.
  def fft_in_direction [n] (sign: f64) (xs: [n]c.t): [n]c.t =
    let bits = i64.num_bits - i64.clz n - 1
    let butterfly [n] (stage: i32) (a: [n]c.t): [n]c.t =
      let half = 1 << i64.i32 stage
      in tabulate n (\i ->
           let low = i & (half - 1)
           let block = i >> i64.i32 (stage + 1)
           let upper = (i >> i64.i32 stage) & 1
           let base = block * 2 * half + low
           let twiddle = c.polar 1 (sign * f64.pi * f64.i64 low / f64.i64 half)
           let odd = c.mul twiddle a[base + half]
           in if upper == 0 then c.add a[base] odd else c.sub a[base] odd)
    let reversed i =
      (loop (r, i) = (0i64, i) for _k < bits do ((r << 1) | (i & 1), i >> 1)).0
    let start = map (\i -> xs[reversed i]) (iota n)
    in loop a = start for stage < bits do butterfly stage a

  def fft [n] (xs: [n]c.t): [n]c.t = fft_in_direction (-1) xs

  def inverse_fft [n] (xs: [n]c.t): [n]c.t =
    map (c.mul (1 / f64.i64 n, 0)) (fft_in_direction 1 xs)

  def convolution [n] (xs: [n]f64) (ys: [n]f64): [n]f64 =
    let complex zs = map (\z -> (z, 0f64)) zs
    in map (.0) (inverse_fft (map2 c.mul (fft (complex xs)) (fft (complex ys))))

  def power_spectrum [n] (xs: [n]f64): [n / 2]f64 =
    let spectrum = fft (map (\x -> (x, 0)) xs)
    in map (\z -> c.magnitude z ** 2) (take (n / 2) spectrum)

  def hann [n] (xs: [n]f64): [n]f64 =
    let window i = 0.5 * (1 - f64.cos (2 * f64.pi * f64.i64 i / f64.i64 (n - 1)))
    in map2 (\i x -> window i * x) (iota n) xs
}

entry spectrum [n] (xs: [n]f64): []f64 = signals.power_spectrum (signals.hann xs)

entry filtered [n] (xs: [n]f64) (kernel: [n]f64): [n]f64 = signals.convolution xs kernel

-- Finance: prices of options, in closed form and by simulation.

module finance = {
  type right = #call | #put
  type style = #european | #asian | #barrier {level: f64, knock_in: bool}
  type option = {right: right, style: style, strike: f64, years: f64}
  type market = {spot: f64, rate: f64, volatility: f64}

  def payoff (o: option) (price: f64): f64 =
    match o.right
    case #call -> f64.max 0 (price - o.strike)
    case #put -> f64.max 0 (o.strike - price)

  -- | The cumulative normal distribution, by the formula of Abramowitz and Stegun.
  def cumulative (x: f64): f64 =
    let k = 1 / (1 + 0.2316419 * f64.abs x)
    let tail = [0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429]
    let poly = foldr (\c acc -> k * (c + acc)) 0 tail
    let density = f64.exp (-x * x / 2) / f64.sqrt (2 * f64.pi)
    in if x >= 0 then 1 - density * poly else density * poly

  def black_scholes (m: market) (o: option): f64 =
    let root = m.volatility * f64.sqrt o.years
    let d1 = (f64.log (m.spot / o.strike) + (m.rate + m.volatility ** 2 / 2) * o.years) / root
    let d2 = d1 - root
    let discounted = o.strike * f64.exp (-m.rate * o.years)
    in match o.right
       case #call -> m.spot * cumulative d1 - discounted * cumulative d2
       case #put -> discounted * cumulative (-d2) - m.spot * cumulative (-d1)

  def path (m: market) (years: f64) (steps: i64) (s: splitmix.state): [steps]f64 =
    let dt = years / f64.i64 steps
    let drift = (m.rate - m.volatility ** 2 / 2) * dt
    let shocks = sample.many steps sample.normal s
    let growth = map (\z -> f64.exp (drift + m.volatility * f64.sqrt dt * z)) shocks
    in map (m.spot *) (scan (*) 1 growth)

  def value_of_path [k] (o: option) (prices: [k]f64): f64 =
    match o.style
    case #european -> payoff o (last prices)
    case #asian -> payoff o (f64.sum prices / f64.i64 k)
    case #barrier {level, knock_in} ->
      let crossed = any (>= level) prices
      in if crossed == knock_in then payoff o (last prices) else 0

  def monte_carlo (m: market) (o: option) (paths: i64) (steps: i64) (seed: i64): {price: f64, error: f64} =
    let values = map (\s -> value_of_path o (path m o.years steps s)) (splitmix.fork paths (splitmix.from_seed seed))
    let summary = statistics.summarise values
    let discount = f64.exp (-m.rate * o.years)
    in {price = discount * summary.mean, error = discount * f64.sqrt (summary.variance / f64.i64 paths)}

  -- | An American option on a tree of prices.
  def binomial (m: market) (o: option) (steps: i64): f64 =
    let dt = o.years / f64.i64 steps
    let up = f64.exp (m.volatility * f64.sqrt dt)
    let p = (f64.exp (m.rate * dt) - 1 / up) / (up - 1 / up)
    let price level i = m.spot * up ** f64.i64 (2 * i - level)
    let leaves = tabulate (steps + 1) (\i -> payoff o (price steps i))
    let values =
      loop values = leaves for k < steps do
        let level = steps - 1 - k
        let back i v =
          if i > level then v
          else let held = f64.exp (-m.rate * dt) * (p * values[i + 1] + (1 - p) * v)
               in f64.max held (payoff o (price level i))
        in map2 back (iota (steps + 1)) values
    in values[0]

  -- | The volatility that explains a price, by bisection.
  def implied_volatility (m: market) (o: option) (price: f64): maybe f64 =
    let value v = black_scholes (m with volatility = v) o
    let (low, high) =
      loop (low, high) = (1e-4, 5) for _i < 60i32 do
        let middle = (low + high) / 2
        in if value middle < price then (middle, high) else (low, middle)
    let found = (low + high) / 2
    in if f64.abs (value found - price) < 1e-6 then #just found else #nothing
}

def standard_market: finance.market = {spot = 100, rate = 0.03, volatility = 0.2}

entry option_prices [n] (strikes: [n]f64): [n](f64, f64, f64) =
  let price strike =
    let o: finance.option = {right = #put, style = #european, strike, years = 1}
    let simulated = finance.monte_carlo standard_market (o with style = #barrier {level = 120, knock_in = true}) 1000 50 1
    in (finance.black_scholes standard_market o, finance.binomial standard_market o 100, simulated.price)
  in map price strikes

entry volatilities [n] (strikes: [n]f64) (prices: [n]f64): [n]f64 =
  let one strike price =
    let o: finance.option = {right = #call, style = #european, strike, years = 0.5}
    in from_maybe f64.nan (finance.implied_volatility standard_market o price)
  in map2 one strikes prices

-- Neural networks.

module networks = {
  type layer [i][o] = {weights: [o][i]f32, biases: [o]f32}

  type activation = #relu | #tanh | #linear

  def activate (a: activation) (x: f32): f32 =
    match a
    case #relu -> f32.max 0 x
    case #tanh -> f32.tanh x
    case #linear -> x

  def slope (a: activation) (y: f32): f32 =
    match a
    case #relu -> f32.bool (y > 0)
    case #tanh -> 1 - y * y
    case #linear -> 1

  def initialise (i: i64) (o: i64) (seed: i64): layer [i][o] =
    let draws = sample.many (o * i) sample.normal (splitmix.from_seed seed)
    let scale = f64.sqrt (2 / f64.i64 i)
    in {weights = unflatten (map (\d -> f32.f64 (scale * d)) draws), biases = replicate o 0}

  def forward [i][o] (a: activation) (l: layer [i][o]) (x: [i]f32): [o]f32 =
    map2 (\row b -> activate a (f32.sum (map2 (*) row x) + b)) l.weights l.biases

  -- | The gradient of the layer and of its input, from that of its output.
  def backward [i][o] (a: activation) (l: layer [i][o]) (x: [i]f32) (y: [o]f32) (dy: [o]f32): (layer [i][o], [i]f32) =
    let dz = map2 (\d v -> d * slope a v) dy y
    let dw = map (\d -> map (* d) x) dz
    let dx = map (\column -> f32.sum (map2 (*) column dz)) (transpose l.weights)
    in ({weights = dw, biases = dz}, dx)

  def update [i][o] (rate: f32) (l: layer [i][o]) (g: layer [i][o]): layer [i][o] =
    { weights = map2 (map2 (\w d -> w - rate * d)) l.weights g.weights
    , biases = map2 (\b d -> b - rate * d) l.biases g.biases
    }

  def add_layers [i][o] (a: layer [i][o]) (b: layer [i][o]): layer [i][o] =
    {weights = map2 (map2 (+)) a.weights b.weights, biases = map2 (+) a.biases b.biases}

  def zero_layer (i: i64) (o: i64): layer [i][o] =
    {weights = replicate o (replicate i 0), biases = replicate o 0}

  type network [i][h][o] = {first: layer [i][h], second: layer [h][o]}

  def predict [i][h][o] (n: network [i][h][o]) (x: [i]f32): [o]f32 =
    x |> forward #relu n.first |> forward #linear n.second

  def gradient [i][h][o] (n: network [i][h][o]) (x: [i]f32) (wanted: [o]f32): network [i][h][o] =
    let hidden = forward #relu n.first x
    let y = forward #linear n.second hidden
    let dy = map2 (\a b -> 2 * (a - b) / f32.i64 o) y wanted
    let (g2, dh) = backward #linear n.second hidden y dy
    let (g1, _) = backward #relu n.first x hidden dh
    in {first = g1, second = g2}

  def loss [i][h][o][k] (n: network [i][h][o]) (xs: [k][i]f32) (ys: [k][o]f32): f32 =
    let one x y = f32.sum (map2 (\a b -> (a - b) ** 2) (predict n x) y)
    in f32.sum (map2 one xs ys) / f32.i64 k

  def train [i][o][k] (hidden: i64) (rate: f32) (rounds: i32) (xs: [k][i]f32) (ys: [k][o]f32): network [i][hidden][o] =
    let start: network [i][hidden][o] = {first = initialise i hidden 1, second = initialise hidden o 2}
    let none: network [i][hidden][o] = {first = zero_layer i hidden, second = zero_layer hidden o}
    let add (a: network [i][hidden][o]) (b: network [i][hidden][o]): network [i][hidden][o] =
      {first = add_layers a.first b.first, second = add_layers a.second b.second}
    in loop n = start for _i < rounds do
         let g = reduce add none (map2 (gradient n) xs ys)
         in { first = update (rate / f32.i64 k) n.first g.first
            , second = update (rate / f32.i64 k) n.second g.second
            }
}

entry training_loss [k][i][o] (xs: [k][i]f32) (ys: [k][o]f32): f32 =
  networks.loss (networks.train 16 0.1 100 xs ys) xs ys

-- Differential equations.

module type vector_space = {
  type v
  val add: v -> v -> v
  val scale: f64 -> v -> v
  val size: v -> f64
}

module runge_kutta (s: vector_space) = {
  def (+!) = s.add
  def (*!) = s.scale

  def step (f: f64 -> s.v -> s.v) (h: f64) (t: f64) (y: s.v): s.v =
    let k1 = f t y
    let k2 = f (t + h / 2) (y +! (h / 2 *! k1))
    let k3 = f (t + h / 2) (y +! (h / 2 *! k2))
    let k4 = f (t + h) (y +! (h *! k3))
    in y +! (h / 6 *! (k1 +! (2 *! (k2 +! k3)) +! k4))

  -- | Halve the step where two half steps differ too much from a whole one.
  def integrate (f: f64 -> s.v -> s.v) (tolerance: f64) (from: f64) (to: f64) (start: s.v): (s.v, i32) =
    let (y, _, _, steps) =
      loop (y, t, h, steps) = (start, from, (to - from) / 10, 0i32) while t < to && steps < 10000 do
        let h = f64.min h (to - t)
        let whole = step f h t y
        let halves = step f (h / 2) (t + h / 2) (step f (h / 2) t y)
        let error = s.size (whole +! (-1 *! halves))
        in if error <= tolerance
           then (halves, t + h, if error < tolerance / 50 then 2 * h else h, steps + 1)
           else (y, t, h / 2, steps + 1)
    in (y, steps)
}

module plane_solver = runge_kutta {
  type v = {p: f64, q: f64}
  def add (a: v) (b: v): v = {p = a.p + b.p, q = a.q + b.q}
  def scale (k: f64) (a: v): v = {p = k * a.p, q = k * a.q}
  def size (a: v): f64 = f64.max (f64.abs a.p) (f64.abs a.q)
}

module triple_solver = runge_kutta {
  type v = [3]f64
  def add (a: v) (b: v): v = map2 (+) a b
  def scale (k: f64) (a: v): v = map (k *) a
  def size (a: v): f64 = f64.maximum (map f64.abs a)
}

module heat = {
  def explicit [n][m] (alpha: f64) (steps: i32) (u: *[n][m]f64): *[n][m]f64 =
    let inside i j = i > 0 && i < n - 1 && j > 0 && j < m - 1
    in loop u for _k < steps do
         tabulate_2d n m (\i j ->
           if inside i j
           then u[i, j] + alpha * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j])
           else u[i, j])

  -- | Thomas's algorithm: forwards, then backwards.
  def tridiagonal [n] (a: [n]f64) (b: [n]f64) (c: [n]f64) (d: [n]f64): [n]f64 =
    let (c', d') =
      loop (c', d') = (copy c, copy d) for i < n do
        let (cp, dp) = if i == 0 then (0, 0) else (c'[i - 1], d'[i - 1])
        let pivot = b[i] - a[i] * cp
        in (c' with [i] = c[i] / pivot, d' with [i] = (d[i] - a[i] * dp) / pivot)
    in loop x = d' for k < n - 1 do
         let i = n - 2 - k
         let value = x[i] - c'[i] * x[i + 1]
         in x with [i] = value

  def implicit [n] (alpha: f64) (steps: i32) (u: [n]f64): [n]f64 =
    let is_end i = i == 0 || i == n - 1
    let off = map (\i -> if is_end i then 0 else -alpha) (iota n)
    let diagonal = map (\i -> if is_end i then 1 else 1 + 2 * alpha) (iota n)
    in iterate steps (tridiagonal off diagonal off) u
}

entry pendulum (angle: f64) (seconds: f64): (f64, f64, i32) =
  let swing _t (s: {p: f64, q: f64}) = {p = s.q, q = -9.81 * f64.sin s.p}
  let (end, steps) = plane_solver.integrate swing 1e-8 0 seconds {p = angle, q = 0}
  in (end.p, end.q, steps)

entry lorenz (x: f64) (y: f64) (z: f64): [3]f64 =
  let flow _t (s: [3]f64): [3]f64 =
    [10 * (s[1] - s[0]), s[0] * (28 - s[2]) - s[1], s[0] * s[1] - 8 / 3 * s[2]]
  in (triple_solver.integrate flow 1e-6 0 10 [x, y, z]).0

entry cooled [n][m] (plate: *[n][m]f64): *[n][m]f64 = heat.explicit 0.2 100 plate

entry rod [n] (temperatures: [n]f64): [n]f64 = heat.implicit 0.5 50 temperatures

-- Text.

module text = {
  type char = u8
  type string [n] = [n]char

  def is_space (c: char): bool = c == ' ' || c == '\n' || c == '\t'
  def is_digit (c: char): bool = c >= '0' && c <= '9'
  def is_letter (c: char): bool = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
  def to_lower (c: char): char = if c >= 'A' && c <= 'Z' then c + 32 else c

  type word = {start: i64, length: i64}

  def words [n] (s: string [n]): []word =
    let inside = map (\c -> !(is_space c)) s
    let starts = map2 (\i w -> w && (i == 0 || !inside[i - 1])) (iota n) inside
    let lengths = segmented_scan (+) 0 starts (map i64.bool inside)
    let ends = map2 (\i w -> w && (i == n - 1 || !inside[i + 1])) (iota n) inside
    let make i l: word = {start = i - l + 1, length = l}
    in map (.1) (filter (.0) (zip ends (map2 make (iota n) lengths)))

  def hash [n] (s: string [n]): u64 =
    loop h = 0xcbf29ce484222325 for c in s do (h ^ u64.u8 (to_lower c)) * 0x100000001b3

  def word_hashes [n] (s: string [n]): []u64 =
    map (\w -> loop h = 5381u64 for i < w.length do h * 33 + u64.u8 s[w.start + i]) (words s)

  def parse_i64 [n] (s: string [n]): maybe i64 =
    let (digits, sign) = if n > 0 && s[0] == '-' then (drop 1 s, -1) else (s[0:], 1)
    in if null digits || !(all is_digit digits)
       then #nothing
       else #just (sign * foldl (\acc c -> acc * 10 + i64.u8 (c - '0')) 0 digits)

  def show_i64 (x: i64): []char =
    let magnitude = if x < 0 then u64.i64 (-x) else u64.i64 x
    let count = (loop (k, rest) = (1i64, magnitude / 10) while rest > 0 do (k + 1, rest / 10)).0
    let digits = tabulate count (\i -> '0' + u8.u64 (magnitude / 10 ** u64.i64 (count - 1 - i) % 10))
    in if x < 0 then "-" ++ digits else digits

  -- | The number of insertions, deletions and replacements, along diagonals.
  def edit_distance [n][m] (a: string [n]) (b: string [m]): i64 =
    let (_, final) =
      loop (before: [n + 1]i64, last: [n + 1]i64) = (replicate (n + 1) i64.highest, tabulate (n + 1) (\i -> if i == 0 then 0 else i64.highest))
      for d in 1...n + m do
        let cell i =
          let j = d - i
          in if j < 0 || j > m then i64.highest
             else if i == 0 then j
             else if j == 0 then i
             else let replaced = before[i - 1] + i64.bool (a[i - 1] != b[j - 1])
                  in i64.min replaced (1 + i64.min last[i - 1] last[i])
        in (last, tabulate (n + 1) cell)
    in final[n]

  def occurrences [n][m] (needle: string [m]) (hay: string [n]): []i64 =
    let here i = and (map2 (==) needle (sized m hay[i:i + m]))
    in if m > n then [] else filter here (iota (n - m + 1))
}

entry count_words [n] (s: [n]u8): (i64, i64) =
  let hashes = map i64.u64 (text.word_hashes s)
  in (length hashes, length (run_lengths hashes))

entry read_number [n] (s: [n]u8): i64 = from_maybe 0 (text.parse_i64 s)

entry show_number (x: i64): []u8 = text.show_i64 x

entry spelling [n][m] (a: [n]u8) (b: [m]u8): i64 =
  if text.hash a == text.hash b then 0 else text.edit_distance a b

-- Numbers of any size: digits to a base of 2^32, the lowest first.

module big: {
  type number [n]
  val from_u64: (n: i64) -> u64 -> number [n]
  val add [n]: number [n] -> number [n] -> number [n]
  val mul [n][m]: number [n] -> number [m] -> number [n + m]
  val digits [n]: number [n] -> [n]u32
  val resize [n]: (m: i64) -> number [n] -> number [m]
} = {
  type number [n] = {digits: [n]u32}

  type carry = #kill | #propagate | #generate

  def combine (a: carry) (b: carry): carry =
    match b
    case #propagate -> a
    case _ -> b

  def from_u64 (n: i64) (x: u64): number [n] =
    {digits = tabulate n (\i -> if i == 0 then u32.u64 x else if i == 1 then u32.u64 (x >> 32) else 0)}

  def digits [n] (a: number [n]): [n]u32 = a.digits

  def resize [n] (m: i64) (a: number [n]): number [m] =
    {digits = tabulate m (\i -> if i < n then a.digits[i] else 0)}

  def add [n] (a: number [n]) (b: number [n]): number [n] =
    let sums = map2 (\x y -> u64.u32 x + u64.u32 y) a.digits b.digits
    let carry_of s: carry =
      if s > 0xffffffff then #generate
      else if s == 0xffffffff then #propagate
      else #kill
    let carries = exclusive_scan combine #kill (map carry_of sums)
    let final s (c: carry) = u32.u64 (s + (match c case #generate -> 1 case _ -> 0))
    in {digits = map2 final sums carries}

  def mul [n][m] (a: number [n]) (b: number [m]): number [n + m] =
    let result =
      loop result = replicate (n + m) 0u32 for i < n do
        let x = u64.u32 a.digits[i]
        let (result, carry) =
          loop (result, carry) = (result, 0u64) for j < m do
            let t = x * u64.u32 b.digits[j] + u64.u32 result[i + j] + carry
            in (result with [i + j] = u32.u64 t, t >> 32)
        in result with [i + m] = u32.u64 carry
    in {digits = result}
}

entry factorial_digits (n: i64): []u32 =
  let one = big.from_u64 64 1
  in big.digits (loop product = one for i < n do
                   big.resize 64 (big.mul product (big.from_u64 2 (u64.i64 (i + 1)))))

entry fibonacci_digits (n: i32): []u32 =
  let (a, _) =
    loop (a, b) = (big.from_u64 32 0, big.from_u64 32 1) for _i < n do (b, big.add a b)
  in big.digits a

-- An interpreter for a stack machine, run over many inputs at once.

module machine = {
  type instruction =
      #push f64
    | #load i64
    | #add | #sub | #mul | #div
    | #dup | #swap
    | #jump_if_positive i64
    | #halt

  type status = #running | #halted | #failed i64

  type state [k] = {stack: [k]f64, top: i64, pc: i64, status: status}

  def push [k] (s: state [k]) (x: f64): state [k] =
    if s.top >= k
    then s with status = #failed s.pc
    else s with stack = (copy s.stack with [s.top] = x) with top = s.top + 1

  def pop [k] (s: state [k]): (f64, state [k]) =
    if s.top <= 0
    then (f64.nan, s with status = #failed s.pc)
    else (s.stack[s.top - 1], s with top = s.top - 1)

  def binary [k] (f: f64 -> f64 -> f64) (s: state [k]): state [k] =
    let (b, s) = pop s
    let (a, s) = pop s
    in push s (f a b)

  def execute [k][v] (variables: [v]f64) (i: instruction) (s: state [k]): state [k] =
    match i
    case #push x -> push s x
    case #load n -> if n >= 0 && n < v then push s variables[n] else s with status = #failed s.pc
    case #add -> binary (+) s
    case #sub -> binary (-) s
    case #mul -> binary (*) s
    case #div -> binary (/) s
    case #dup -> let (x, s) = pop s in push (push s x) x
    case #swap ->
      let (b, s) = pop s
      let (a, s) = pop s
      in push (push s b) a
    case #jump_if_positive target ->
      let (x, s) = pop s
      in if x > 0 then s with pc = target - 1 else s
    case #halt -> s with status = #halted

  def run [p][v] (fuel: i64) (program: [p]instruction) (variables: [v]f64): maybe f64 =
    let start: state [16] = {stack = replicate 16 0, top = 0, pc = 0, status = #running}
    let is_running (s: state [16]) = match s.status case #running -> true case _ -> false
    let (end, _) =
      loop (s, fuel) = (start, fuel) while fuel > 0 && is_running s do
        let s =
          if s.pc < 0 || s.pc >= p
          then s with status = #failed s.pc
          else let next = execute variables program[s.pc] s
               in next with pc = next.pc + 1
        in (s, fuel - 1)
    in match (end.status, end.top > 0)
       case (#halted, true) -> #just end.stack[end.top - 1]
       case _ -> #nothing
}

-- | Newton's square root, written for the machine.
entry roots [n] (xs: [n]f64): [n]f64 =
  let program: [15]machine.instruction =
    [ #load 0, #dup, #load 0, #swap, #div, #add, #push 0.5, #mul
    , #dup, #dup, #mul, #load 0, #sub, #push 1e-9, #sub
    ]
  let rest: [2]machine.instruction = [#jump_if_positive 1, #halt]
  in map (\x -> from_maybe f64.nan (machine.run 1000 (program ++ rest) [x])) xs

-- Dynamic programming.

def knapsack [n] (capacity: i64) (items: [n]{weight: i64, value: i64}): i64 =
  let best =
    loop best = replicate (capacity + 1) 0 for item in items do
      let with_item room = if room < item.weight then 0 else best[room - item.weight] + item.value
      in map2 i64.max best (map with_item (iota (capacity + 1)))
  in best[capacity]

def longest_increasing [n] (xs: [n]i64): i64 =
  let (_, longest) =
    loop (tails, longest) = (replicate n i64.highest, 0) for x in xs do
      let at = (loop (low, high) = (0, longest) while low < high do
                  let middle = (low + high) / 2
                  in if tails[middle] < x then (middle + 1, high) else (low, middle)).0
      in (tails with [at] = x, i64.max longest (at + 1))
  in longest

entry pack [n] (capacity: i64) (weights: [n]i64) (values: [n]i64): i64 =
  knapsack capacity (map2 (\weight value -> {weight, value}) weights values)

entry increasing [n] (xs: [n]i64): i64 = longest_increasing xs

entry shuffled_increasing (n: i64) (seed: i64): i64 =
  longest_increasing (sample.permutation n (splitmix.from_seed seed)).0
