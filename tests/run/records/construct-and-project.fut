-- Records: construction in any order, shorthand fields, projection and patterns.
-- ==
-- input { 3 4.5 } output { 3 4.5 7.5 3 }
-- input { 0 0.0 } output { 0 0.0 0.0 0 }

type point = {x: i32, y: f64}
def norm ({x, y}: point): f64 = f64.i32 x + y
def main (x: i32) (y: f64): (i32, f64, f64, i32) =
  let p: point = {y, x}
  let {x = a, y = _} = p
  in (p.x, p.y, norm {x = x, y = y}, a)
