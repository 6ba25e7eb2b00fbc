-- A local function with a parameter is polymorphic, so one definition serves several types.
-- ==
-- input { 1 2.5 } output { 1 2.5 1 }

def main (x: i32) (y: f64): (i32, f64, i32) =
  let keep 'a (z: a) = z
  let pair a b = (a, b)
  in (keep x, keep y, (pair x y).0)
