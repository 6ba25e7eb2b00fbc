-- Accelerations and steps of bodies under gravity; the momentum is kept.
-- ==
-- input { [0.0, 1.0] [0.0, 0.0] [1.0, 1.0] 0.5 1 } output { [0.25, 0.75] [0.0, 0.0] }
-- input { [2.0] [3.0] [1.0] 0.5 4 } output { [2.0] [3.0] }
-- input { empty([0]f64) empty([0]f64) empty([0]f64) 0.5 4 } output { empty([0]f64) empty([0]f64) }

type vec = {x: f64, y: f64}
def add (a: vec) (b: vec): vec = {x = a.x + b.x, y = a.y + b.y}
def scale (k: f64) (a: vec): vec = {x = k * a.x, y = k * a.y}
def accel [n] (ps: [n]vec) (ms: [n]f64) (p: vec): vec =
  let pull (q: vec) (m: f64): vec =
    let d = add q (scale (-1) p)
    let r2 = d.x * d.x + d.y * d.y
    in if r2 == 0 then {x = 0, y = 0} else scale (m / (r2 * f64.sqrt r2)) d
  in reduce_comm add {x = 0, y = 0} (map2 pull ps ms)
def main [n] (xs: [n]f64) (ys: [n]f64) (ms: [n]f64) (dt: f64) (steps: i32)
         : ([n]f64, [n]f64) =
  let ps = map2 (\x y -> {x, y}) xs ys
  let (ps, _) =
    loop (ps, vs) = (ps, replicate n {x = 0, y = 0}) for _i < steps do
      let vs = map2 (\p v -> add v (scale dt (accel ps ms p))) ps vs
      in (map2 (\p v -> add p (scale dt v)) ps vs, vs)
  in (map (.x) ps, map (.y) ps)
