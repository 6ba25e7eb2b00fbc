-- | A curve through measured points, fitted by following the gradient of its error downhill.

-- | A sum of bells: their heights, places and widths.
type bells [k] = {height: [k]f64, place: [k]f64, width: [k]f64}

def bell (height: f64) (place: f64) (width: f64) (x: f64): f64 =
  height * f64.exp (-(((x - place) / width) ** 2))

def curve [k] (b: bells [k]) (x: f64): f64 =
  f64.sum (map3 (\h p w -> bell h p w x) b.height b.place b.width)

-- | The mean square of how far the curve is from the points.
def mistake [k] [n] (xs: [n]f64) (ys: [n]f64) (b: bells [k]): f64 =
  f64.sum (map2 (\x y -> (curve b x - y) ** 2) xs ys) / f64.i64 n

-- | Which way the error grows, for all parameters at once.
def gradient [k] [n] (xs: [n]f64) (ys: [n]f64) (b: bells [k]): bells [k] =
  vjp (mistake xs ys) b 1

-- | Descent with momentum.
def fit [k] [n] (steps: i64) (xs: [n]f64) (ys: [n]f64) (start: bells [k])
        : bells [k] =
  let move (v: [k]f64) (g: [k]f64) = map2 (\v g -> 0.95 * v - 0.02 * g) v g
  let none = replicate k 0
  let (b, _) =
    loop (b, v) = (start, {height = none, place = none, width = none})
    for _i < steps do
      let g = gradient xs ys b
      let v =
        { height = move v.height g.height
        , place = move v.place g.place
        , width = move v.width g.width
        }
      in ( { height = map2 (+) b.height v.height
           , place = map2 (+) b.place v.place
           , width = map2 (+) b.width v.width
           }
         , v
         )
  in b

-- | Numbers that look like chance, between -1 and 1.
def noise (i: i64): f64 =
  let x = f64.sin (f64.i64 i * 12.9898) * 43758.5453
  in 2 * (x - f64.floor x) - 1

def abscissas (n: i64): [n]f64 =
  map (\i -> 10 * f64.i64 i / f64.i64 (n - 1)) (iota n)

def truth: bells [3] =
  {height = [1.0, 1.6, 0.7], place = [2.0, 5.2, 8.1], width = [0.8, 1.3, 0.6]}

def guess: bells [3] =
  {height = [1.0, 1.0, 1.0], place = [1.5, 4.5, 8.5], width = [1.0, 1.0, 1.0]}

def measured [n] (xs: [n]f64): [n]f64 =
  map2 (\x i -> curve truth x + 0.12 * noise i) xs (iota n)

def fitted [n] (steps: i64) (xs: [n]f64): [n]f64 =
  map (curve (fit steps xs (measured xs) guess)) xs

-- A bell that is one at its place: the error of f = h exp(-x²) at x = 0 is (h - y)², with the slope 2 (h - y) in h,
-- and none in place and width, where it is flat.
-- ==
-- entry: slopes
-- input { [0f64] [0.5f64] 1f64 0f64 1f64 } output { 0.25f64 1f64 0f64 0f64 }
-- input { [0f64, 0f64] [1f64, 1f64] 1f64 0f64 2f64 } output { 0f64 0f64 0f64 0f64 }
-- input { [1f64] [0f64] 1f64 0f64 1f64 }
-- output { 0.1353352832366127f64 0.2706705664732254f64 0.5413411329464508f64 0.5413411329464508f64 }

entry slopes [n] (xs: [n]f64) (ys: [n]f64) (h: f64) (p: f64) (w: f64)
             : (f64, f64, f64, f64) =
  let b = {height = [h], place = [p], width = [w]}
  let g = gradient xs ys b
  in (mistake xs ys b, g.height[0], g.place[0], g.width[0])

-- Without noise the descent finds the bell that made the points.
-- ==
-- entry: recovers
-- input { 2000i64 } output { true }

entry recovers (steps: i64): bool =
  let xs = abscissas 41
  let wanted = {height = [1.5], place = [5.0], width = [1.2]}
  let start = {height = [1.0], place = [4.5], width = [1.0]}
  let b = fit steps xs (map (curve wanted) xs) start
  let near a b = f64.abs (a - b) < 1e-4
  in near b.height[0] 1.5 && near b.place[0] 5 && near b.width[0] 1.2
