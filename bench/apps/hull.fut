-- The convex hull of points in the plane, by quickhull on all sides at once: every side of the hull so far owns the
-- points outside of it, as segments of one flat array, and grows towards the farthest of them.
-- ==
-- entry: main
-- "a square with points inside and on a side" nobench input { [0i32, 4i32, 2i32, 4i32, 0i32, 1i32, 2i32, 2i32]
--   [0i32, 0i32, 0i32, 4i32, 4i32, 1i32, 2i32, 4i32] }
-- output { [0i32, 0i32, 4i32, 4i32] [0i32, 4i32, 4i32, 0i32] 16i64 }
-- "a triangle" nobench input { [1i32, 5i32, 3i32] [1i32, 1i32, 6i32] }
-- output { [1i32, 3i32, 5i32] [1i32, 6i32, 1i32] 10i64 }
-- "in a line" nobench input { [3i32, 1i32, 2i32] [3i32, 1i32, 2i32] } output { [1i32, 3i32] [1i32, 3i32] 0i64 }
-- "small" compiled script input { cloud 50000i64 }
-- "medium" compiled script input { cloud 700000i64 }
-- "large" compiled script input { ring 2000000i64 }

type point = (i32, i32)

-- Twice the area between a side and a point; positive if the point is outside, to the left.
def area2 ((ax, ay): point) ((bx, by): point) ((x, y): point): i64 =
  let (dx, dy) = (i64.i32 bx - i64.i32 ax, i64.i32 by - i64.i32 ay)
  let (ex, ey) = (i64.i32 x - i64.i32 ax, i64.i32 y - i64.i32 ay)
  in dx * ey - dy * ex

def before ((ax, ay): point) ((bx, by): point): bool =
  ax < bx || (ax == bx && ay < by)
def first_of a b = if before a b then a else b
def last_of a b = if before a b then b else a

-- Of two candidates the one farther out; of those equally far the last, which is a corner and never between two.
def farther (d1: i64, p1: point) (d2: i64, p2: point): (i64, point) =
  if d1 > d2
  then (d1, p1)
  else if d2 > d1
  then (d2, p2)
  else (d1, last_of p1 p2)

def segmented_scan [n] 't (op: t -> t -> t) (ne: t) (flags: [n]bool) (xs: [n]t)
                   : [n]t =
  let (_, ys) =
    unzip (scan (\(f, x) (g, y) -> (f || g, if g then y else op x y))
                (false, ne) (zip flags xs))
  in ys

def exclusive [n] (xs: [n]i64): [n]i64 = map2 (-) (scan (+) 0 xs) xs

-- Corners in order, and the points that are still outside with the side that owns each, sorted by side.
def grow [k] [n] (corners: [k]point) (outside: [n](i64, point))
         : ([]point, [](i64, point)) =
  let (owners, points) = unzip outside
  let side s = (corners[s], corners[(s + 1) % k])
  let flags = map2 (\i o -> i == 0 || owners[i - 1] != o) (iota n) owners
  let distances =
    map2 (\o p -> let (a, b) = side o in (area2 a b p, p)) owners points
  let running =
    segmented_scan farther (i64.lowest, (i32.lowest, i32.lowest)) flags
                   distances

  -- the last of every segment knows the farthest point of it
  let is_last = map (\i -> i == n - 1 || flags[(i + 1) % n]) (iota n)
  let (_, farthest) =
    unzip (scatter (replicate k (0, (0, 0)))
                   (map2 (\l o -> if l then o else -1) is_last owners)
                   running)
  let splits = scatter (replicate k 0) owners (map (const 1) owners)

  -- sides that split become two; the old corners move up
  let moved = exclusive splits
  let total = k + i64.sum splits
  let corners' =
    scatter (replicate total (0, 0)) (map2 (+) (iota k) moved) corners
  let corners' =
    scatter corners'
            (map3 (\i m s -> if s == 1 then i + m + 1 else -1) (iota k) moved
                  splits)
            farthest

  -- every point goes to one of the two new sides, or away
  let choose o p =
    let (a, b) = side o
    let c = farthest[o]
    in if area2 a c p > 0
       then (1, 0)
       else if area2 c b p > 0
       then (0, 1)
       else (0, 0i64)
  let sides = map2 choose owners points
  let ranks =
    segmented_scan (\(a, b) (c, d) -> (a + c, b + d)) (0, 0) flags sides
  let owners' = map2 (\o (_, right) -> o + moved[o] + right) owners sides
  let counts = hist (+) 0 total owners' (map (\(l, r) -> l + r) sides)
  let starts = exclusive counts
  let place (l, r) (rank_l, rank_r) o =
    if l == 1
    then starts[o] + rank_l - 1
    else if r == 1
    then starts[o] + rank_r - 1
    else -1
  let places = map3 place sides ranks owners'
  let left = i64.sum counts
  in (corners',
      scatter (replicate left (0, (0, 0))) places (zip owners' points))

def hull [n] (points: [n]point): []point =
  let lo = reduce first_of (i32.highest, i32.highest) points
  let hi = reduce last_of (i32.lowest, i32.lowest) points
  let above = filter (\p -> area2 lo hi p > 0) points
  let below = filter (\p -> area2 hi lo p > 0) points
  let outside = map (\p -> (0, p)) above ++ map (\p -> (1, p)) below
  let (corners, _) =
    loop (corners, outside) = ([lo, hi], outside) while length outside > 0 do
      grow corners outside
  in corners

-- The corners, clockwise from the leftmost, and the area that they span.
entry main [n] (xs: [n]i32) (ys: [n]i32): ([]i32, []i32, i64) =
  let corners = hull (zip xs ys)
  let origin = corners[0]
  let fans = map2 (\a b -> area2 origin b a) corners (rotate 1 corners)
  let (hx, hy) = unzip corners
  in (hx, hy, i64.sum fans / 2)

def spin (x: u32): u32 =
  let x = (x ^ (x >> 16)) * 0x45d9f3b
  let x = (x ^ (x >> 16)) * 0x45d9f3b
  in x ^ (x >> 16)

entry cloud (n: i64): ([n]i32, [n]i32) =
  let coordinate salt i = i32.u32 (spin (u32.i64 i + salt) % 1000000)
  in (tabulate n (coordinate 1), tabulate n (coordinate 0x1234567))

-- Points close to a circle, so that many are corners.
entry ring (n: i64): ([n]i32, [n]i32) =
  let at i =
    let angle = 6.283185307 * f64.u32 (spin (u32.i64 i)) / 4294967296
    let radius = 1e6 * (1 - 0.01 * f64.u32 (spin (u32.i64 i + 99)) / 4294967296)
    in (i32.f64 (radius * f64.cos angle), i32.f64 (radius * f64.sin angle))
  in unzip (map at (iota n))
