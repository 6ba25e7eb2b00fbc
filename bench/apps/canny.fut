-- Canny's edge detector: blur, gradient by Sobel, thinning along the direction of the gradient, two thresholds, and
-- weak edges that hang together with strong ones.
-- ==
-- entry: main
-- "flat" nobench input { 0.1f32 0.3f32 [[5u8, 5u8, 5u8, 5u8], [5u8, 5u8, 5u8, 5u8], [5u8, 5u8, 5u8, 5u8]] }
-- output { [[0u8, 0u8, 0u8, 0u8], [0u8, 0u8, 0u8, 0u8], [0u8, 0u8, 0u8, 0u8]] 0i64 }
-- "a step" nobench input { 0.05f32 0.2f32 [
--   [0u8, 0u8, 0u8, 0u8, 50u8, 255u8, 255u8, 255u8, 255u8], [0u8, 0u8, 0u8, 0u8, 50u8, 255u8, 255u8, 255u8, 255u8],
--   [0u8, 0u8, 0u8, 0u8, 50u8, 255u8, 255u8, 255u8, 255u8], [0u8, 0u8, 0u8, 0u8, 50u8, 255u8, 255u8, 255u8, 255u8]] }
-- output { [[0u8, 0u8, 0u8, 0u8, 255u8, 0u8, 0u8, 0u8, 0u8], [0u8, 0u8, 0u8, 0u8, 255u8, 0u8, 0u8, 0u8, 0u8],
--   [0u8, 0u8, 0u8, 0u8, 255u8, 0u8, 0u8, 0u8, 0u8], [0u8, 0u8, 0u8, 0u8, 255u8, 0u8, 0u8, 0u8, 0u8]] 4i64 }
-- "small" compiled script input { scene 160i64 200i64 }
-- "medium" compiled script input { scene 500i64 600i64 }
-- "large" compiled script input { scene 1000i64 1400i64 }

type direction = #horizontal | #vertical | #rising | #falling
type strength = #none | #weak | #strong

-- Pixels outside the picture are those on its edge.
def pixel [h] [w] 'a (picture: [h][w]a) (y: i64) (x: i64): a =
  picture[i64.max 0 (i64.min (h - 1) y), i64.max 0 (i64.min (w - 1) x)]

def gaussian: [5]f32 =
  let weights =
    map (\i -> f32.exp (-0.5 * f32.i64 ((i - 2) * (i - 2)))) (iota 5)
  let total = f32.sum weights
  in map (/ total) weights

-- Apply a row of weights in one direction and then in the other.
def separable [h] [w] [k] (kernel: [k]f32) (picture: [h][w]f32): [h][w]f32 =
  let r = k / 2
  let across =
    tabulate_2d h w (\y x ->
                       f32.sum (map2 (\i c -> c * pixel picture y (x + i - r))
                                     (iota k) kernel))
  in tabulate_2d h w (\y x ->
                        f32.sum (map2 (\i c -> c * pixel across (y + i - r) x)
                                      (iota k) kernel))

def convolve3x3 [h] [w] (kernel: [3][3]f32) (picture: [h][w]f32): [h][w]f32 =
  let at y x =
    map2 (\dy row ->
            map2 (\dx c -> c * pixel picture (y + dy - 1) (x + dx - 1)) (iota 3)
                 row)
         (iota 3) kernel
    |> map f32.sum
    |> f32.sum
  in tabulate_2d h w at

def sobel [h] [w] (picture: [h][w]f32): ([h][w]f32, [h][w]f32) =
  let kernel = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]
  in (convolve3x3 kernel picture, convolve3x3 (transpose kernel) picture)

def direction_of (gx: f32) (gy: f32): direction =
  let (ax, ay) = (f32.abs gx, f32.abs gy)
  in if ay <= 0.41421356 * ax then #horizontal
     else if ax <= 0.41421356 * ay then #vertical
     else if (gx > 0) == (gy > 0) then #falling
     else #rising

def step (d: direction): (i64, i64) =
  match d
  case #horizontal -> (0, 1)
  case #vertical -> (1, 0)
  case #falling -> (1, 1)
  case #rising -> (1, -1)

-- Keep what is greatest along its own direction; of two that are equal, the first.
def thin [h] [w] (magnitude: [h][w]f32) (directions: [h][w]direction)
         : [h][w]f32 =
  tabulate_2d h w (\y x ->
    let m = magnitude[y, x]
    let (dy, dx) = step directions[y, x]
    let before = pixel magnitude (y - dy) (x - dx)
    let after = pixel magnitude (y + dy) (x + dx)
    in if m > before + 1e-5 && m >= after - 1e-5 then m else 0)

def classify (low: f32) (high: f32) (m: f32): strength =
  if m >= high then #strong else if m >= low then #weak else #none

-- Weak pixels beside strong ones become strong, until nothing changes.
def hysteresis [h] [w] (marks: [h][w]strength): [h][w]strength =
  let is_strong s =
    match s
    case #strong -> true
    case _ -> false
  let grow (marks: [h][w]strength) =
    tabulate_2d h w (\y x ->
      match marks[y, x]
      case #weak ->
        let near =
          or (map (\dy ->
                     or (map (\dx -> is_strong (pixel marks (y + dy) (x + dx)))
                             (-1..0...1)))
                  (-1..0...1))
        in if near then #strong else #weak
      case other -> other)
  let count marks =
    marks |> map (map (is_strong >-> i64.bool)) |> map i64.sum |> i64.sum
  let (marks, _, _) =
    loop (marks, before, now) = (marks, -1, count marks) while now != before do
      let grown = grow marks
      in (grown, now, count grown)
  in marks

entry main [h] [w] (low: f32) (high: f32) (picture: [h][w]u8): ([h][w]u8, i64) =
  let smooth = picture |> map (map (\p -> f32.u8 p / 255)) |> separable gaussian
  let (gx, gy) = sobel smooth
  let magnitude = map2 (map2 (\x y -> f32.sqrt (x * x + y * y))) gx gy
  let directions = map2 (map2 direction_of) gx gy
  let marks =
    thin magnitude directions |> map (map (classify low high)) |> hysteresis
  let edges = map (map (\s ->
                          match s
                          case #strong -> 255
                          case _ -> 0u8)) marks
  in (edges, edges |> flatten |> map (\e -> i64.bool (e > 0)) |> i64.sum)

-- Discs of different brightness over a ramp, in whole numbers so that every compiler sees the same picture.
entry scene (h: i64) (w: i64): (f32, f32, [h][w]u8) =
  let inside cy cx r y x = (y - cy) * (y - cy) + (x - cx) * (x - cx) < r * r
  let shade y x =
    let ramp = 40 * x / w + 20 * y / h
    let discs = map (\k ->
                       let (cy, cx) =
                         ((k * 37 + 11) % 100 * h / 100,
                          (k * 61 + 29) % 100 * w / 100)
                       in if inside cy cx (h / (6 + k % 7)) y x
                          then 8 * (k % 5) + 3
                          else 0)
                    (iota 12)
    in u8.i64 (i64.min 255 (ramp + i64.sum discs))
  in (0.08, 0.25, tabulate_2d h w shade)
