-- | A fluid on a torus: it carries its own velocity along, and then loses what would make it denser anywhere.

import "colour"

-- | A number at each point of a grid whose edges meet.
type field [n] = [n][n]f32

type state [n] =
  {u: field [n], v: field [n], pressure: field [n], dye: field [n]}

def zip_with [n] (f: f32 -> f32 -> f32) (a: field [n]) (b: field [n])
             : field [n] =
  map2 (map2 f) a b

-- | The values one step to the right and to the left, below and above.
def right [n] (f: field [n]): field [n] = map (rotate 1) f
def left [n] (f: field [n]): field [n] = map (rotate (-1)) f
def below [n] (f: field [n]): field [n] = rotate 1 f
def above [n] (f: field [n]): field [n] = rotate (-1) f

def slope_x [n] (f: field [n]): field [n] =
  zip_with (\a b -> (a - b) / 2) (right f) (left f)

def slope_y [n] (f: field [n]): field [n] =
  zip_with (\a b -> (a - b) / 2) (below f) (above f)

-- | The value between the points of a grid.
def between [n] (f: field [n]) (y: f32) (x: f32): f32 =
  let (top, start) = (f32.floor y, f32.floor x)
  let (t, s) = (y - top, x - start)
  let (i, j) = (i64.f32 top % n, i64.f32 start % n)
  let (k, l) = ((i + 1) % n, (j + 1) % n)
  in (1 - t) * ((1 - s) * f[i, j] + s * f[i, l])
     + t * ((1 - s) * f[k, j] + s * f[k, l])

-- | What comes from where the flow was a moment before.
def carried [n] (dt: f32) (u: field [n]) (v: field [n]) (f: field [n])
            : field [n] =
  tabulate_2d n n (\i j ->
                     between f (f32.i64 i - dt * v[i, j])
                             (f32.i64 j - dt * u[i, j]))

-- | A flow without its sources, and the pressure with which they drive it away. That of the moment before is where the
-- search for it begins.
def without_sources [n] (guess: field [n]) (u: field [n]) (v: field [n])
                    : (field [n], field [n], field [n]) =
  let source = zip_with (+) (slope_x u) (slope_y v)
  let pressure =
    loop p = guess for _i < 60 do
      let sides = zip_with (+) (right p) (left p)
      let all = zip_with (+) sides (zip_with (+) (below p) (above p))
      in zip_with (\sum s -> (sum - s) / 4) all source
  in ( zip_with (-) u (slope_x pressure)
     , zip_with (-) v (slope_y pressure)
     , pressure
     )

def step [n] (dt: f32) ({u, v, pressure, dye}: state [n]): state [n] =
  let (u', v', p') =
    without_sources pressure (carried dt u v u) (carried dt u v v)
  in {u = u', v = v', pressure = p', dye = carried dt u' v' dye}

-- | A stream in the middle against the rest, with a small wave at its edges, which rolls up.
def start (n: i64): state [n] =
  let turn k i = 2 * f32.pi * k * (f32.i64 i + 0.5) / f32.i64 n
  let edge i =
    let y = f32.abs ((f32.i64 i + 0.5) / f32.i64 n - 0.5)
    in f32.tanh (40 * (0.25 - y))
  in { u = tabulate_2d n n (\i _ -> edge i)
     , pressure = replicate n (replicate n 0)
     , v =
         tabulate_2d n n (\_ j ->
                            0.3 * f32.sin (turn 2 j)
                            + 0.1 * f32.sin (turn 3 j + 1))
     , dye = tabulate_2d n n (\i _ -> 0.5 + 0.5 * edge i)
     }

-- | A picture in a few colours, and the state some steps later.
def frame [n] (s: state [n]): ([n][n]u32, state [n]) =
  let shade d = f32.round (d * 20) / 20
  in ( map (map (\d -> packed (sea (1 - shade d)))) s.dye
     , loop s for _i < 2 do step (f32.i64 n / 50) s
     )

-- A flow that is the same everywhere carries all values along; half a step mixes neighbours.
-- ==
-- entry: carries
-- input { [[1f32, 2f32], [3f32, 4f32]] 1f32 0f32 }
-- output { [[2f32, 1f32], [4f32, 3f32]] }
-- input { [[1f32, 2f32, 3f32], [4f32, 5f32, 6f32], [7f32, 8f32, 9f32]] 0f32 1f32 }
-- output { [[7f32, 8f32, 9f32], [1f32, 2f32, 3f32], [4f32, 5f32, 6f32]] }
-- input { [[0f32, 4f32], [8f32, 12f32]] 0.5f32 0f32 }
-- output { [[2f32, 2f32], [10f32, 10f32]] }

entry carries [n] (f: [n][n]f32) (u: f32) (v: f32): [n][n]f32 =
  let everywhere x = replicate n (replicate n x)
  in carried 1 (everywhere u) (everywhere v) f

-- A stream along its rows has no sources, and stays. One across has some, of which a grid with three points finds few:
-- its pressure is -1/6, 1/3, -1/6, whose slope takes a quarter away.
-- ==
-- entry: sources
-- input { [[1f32, 1f32, 1f32], [0f32, 0f32, 0f32], [-1f32, -1f32, -1f32]] }
-- output { 1f32 0.75f32 }

entry sources [n] (u: [n][n]f32): (f32, f32) =
  let none = replicate n (replicate n 0)
  let (kept, _, _) = without_sources none u none
  let (gone, _, _) = without_sources none (transpose u) none
  let largest f = f32.maximum (map f32.abs (flatten f))
  in (largest kept, largest gone)
